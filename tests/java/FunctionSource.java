import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.NumericUtils;

/** The score of a query combined with a function of a number of the document, as FunctionScoreQuery wants it. */
final class FunctionSource extends DoubleValuesSource {
  private final String combine;
  private final String field;
  private final String kind;
  /** The pivot of a saturation; the origin and scale of a decay to a half. */
  private final double first;
  private final double second;
  private final double base;
  private final double weight;

  FunctionSource(Parts in) {
    combine = in.next();
    field = in.next();
    kind = in.next();
    first = in.nextDouble();
    second = in.nextDouble();
    base = in.nextDouble();
    weight = in.nextDouble();
  }

  private double function(double x) {
    switch (kind) {
      case "value":
        return Math.max(0, x);
      case "sqrt":
        return Math.sqrt(Math.max(0, x));
      case "ln1p":
        return Math.log1p(Math.max(0, x));
      case "saturation":
        return x > 0 ? x / (x + first) : 0;
      case "exponential":
        return Math.pow(0.5, Math.abs(x - first) / second);
      default:
        throw new IllegalArgumentException("no function: " + kind);
    }
  }

  @Override
  public DoubleValues getValues(LeafReaderContext leaf, DoubleValues scores) throws IOException {
    SortedNumericDocValues numbers = DocValues.getSortedNumeric(leaf.reader(), field);
    return new DoubleValues() {
      private double value;

      @Override
      public double doubleValue() {
        return value;
      }

      @Override
      public boolean advanceExact(int doc) throws IOException {
        boolean replaces = combine.equals("replace");
        double score = !replaces && scores.advanceExact(doc) ? scores.doubleValue() : 0;
        if (!numbers.advanceExact(doc)) {
          value = score;
          return true;
        }
        long greatest = Long.MIN_VALUE;
        for (int i = 0; i < numbers.docValueCount(); i++) greatest = Math.max(greatest, numbers.nextValue());
        double factor = base + weight * function(NumericUtils.sortableLongToDouble(greatest));
        value = replaces ? factor : combine.equals("add") ? score + factor : score * factor;
        return true;
      }
    };
  }

  @Override
  public boolean needsScores() {
    return !combine.equals("replace");
  }

  @Override
  public DoubleValuesSource rewrite(IndexSearcher searcher) {
    return this;
  }

  @Override
  public boolean isCacheable(LeafReaderContext leaf) {
    return false;
  }

  @Override
  public String toString() {
    return combine + " " + kind + " of " + field;
  }

  @Override
  public int hashCode() {
    return Objects.hash(combine, field, kind, first, second, base, weight);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FunctionSource && other.toString().equals(toString()) && other.hashCode() == hashCode();
  }
}
