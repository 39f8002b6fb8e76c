import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.DoublePoint;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.queries.spans.SpanNearQuery;
import org.apache.lucene.queries.spans.SpanOrQuery;
import org.apache.lucene.queries.spans.SpanQuery;
import org.apache.lucene.queries.spans.SpanTermQuery;
import org.apache.lucene.sandbox.search.CombinedFieldQuery;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.FieldExistsQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.MultiPhraseQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.RegexpQuery;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TermRangeQuery;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.util.BytesRef;

/** Queries from their written form: the kind, then its parts; lists are preceded by their length. */
final class QueryReader {
  static Query read(Parts in) {
    String kind = in.next();
    switch (kind) {
      case "term":
        return new TermQuery(term(in));
      case "boolean":
        return booleanQuery(in);
      case "boost":
        float boost = in.nextFloat();
        return new BoostQuery(read(in), boost);
      case "constant":
        return new ConstantScoreQuery(read(in));
      case "dismax":
        float tieBreaker = in.nextFloat();
        return new DisjunctionMaxQuery(list(in), tieBreaker);
      case "all":
        return new MatchAllDocsQuery();
      case "none":
        return new MatchNoDocsQuery();
      case "exists":
        return new FieldExistsQuery(in.next());
      case "phrase":
        return phrase(in);
      case "multiPhrase":
        return multiPhrase(in);
      case "prefix":
        return new PrefixQuery(term(in));
      case "wildcard":
        return new WildcardQuery(term(in));
      case "regexp":
        return new RegexpQuery(term(in));
      case "fuzzy":
        return fuzzy(in);
      case "termSet":
        return new TermInSetQuery(in.next(), bytes(in));
      case "termRange":
        return TermRangeQuery.newStringRange(
            in.next(), in.nextOrNull(), in.nextOrNull(), in.nextBoolean(), in.nextBoolean());
      case "numberRange":
        return DoublePoint.newRangeQuery(in.next(), in.nextDouble(), in.nextDouble());
      case "combined":
        return combined(in);
      case "like":
        return new LikeQuery(in);
      case "function":
        FunctionSource source = new FunctionSource(in);
        return new FunctionScoreQuery(read(in), source);
      default:
        return span(kind, in);
    }
  }

  private static Term term(Parts in) {
    return new Term(in.next(), in.next());
  }

  private static List<Query> list(Parts in) {
    List<Query> queries = new ArrayList<>();
    for (int left = in.nextInt(); left > 0; left--) queries.add(read(in));
    return queries;
  }

  private static List<BytesRef> bytes(Parts in) {
    List<BytesRef> texts = new ArrayList<>();
    for (int left = in.nextInt(); left > 0; left--) texts.add(new BytesRef(in.next()));
    return texts;
  }

  private static Query booleanQuery(Parts in) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    builder.setMinimumNumberShouldMatch(in.nextInt());
    for (int left = in.nextInt(); left > 0; left--) {
      Occur occur = occur(in.next());
      builder.add(read(in), occur);
    }
    return builder.build();
  }

  private static Occur occur(String name) {
    return name.equals("mustNot") ? Occur.MUST_NOT : Occur.valueOf(name.toUpperCase());
  }

  private static Query phrase(Parts in) {
    String field = in.next();
    PhraseQuery.Builder builder = new PhraseQuery.Builder();
    builder.setSlop(in.nextInt());
    for (int left = in.nextInt(); left > 0; left--) {
      int position = in.nextInt();
      builder.add(new Term(field, in.next()), position);
    }
    return builder.build();
  }

  private static Query multiPhrase(Parts in) {
    String field = in.next();
    MultiPhraseQuery.Builder builder = new MultiPhraseQuery.Builder();
    builder.setSlop(in.nextInt());
    for (int left = in.nextInt(); left > 0; left--) {
      int position = in.nextInt();
      Term[] terms = new Term[in.nextInt()];
      for (int i = 0; i < terms.length; i++) terms[i] = new Term(field, in.next());
      builder.add(terms, position);
    }
    return builder.build();
  }

  /**
   * Kept apart from the clauses around it: Lucene would add the alternatives of a fuzzy query to those of the query that it
   * stands in, and there make one of two clauses for the same word, although their statistics differ.
   */
  private static Query fuzzy(Parts in) {
    Query fuzzy = new FuzzyQuery(term(in), in.nextInt(), in.nextInt(), in.nextInt(), in.nextBoolean());
    return new FunctionScoreQuery(fuzzy, DoubleValuesSource.SCORES);
  }

  private static Query combined(Parts in) {
    CombinedFieldQuery.Builder builder = new CombinedFieldQuery.Builder();
    for (int left = in.nextInt(); left > 0; left--) {
      String field = in.next();
      builder.addField(field, in.nextFloat());
    }
    return builder.addTerm(new BytesRef(in.next())).build();
  }

  private static SpanQuery span(String kind, Parts in) {
    switch (kind) {
      case "spanTerm":
        return new SpanTermQuery(term(in));
      case "spanOr":
        return new SpanOrQuery(spans(in));
      case "near":
        int slop = in.nextInt();
        boolean inOrder = in.nextBoolean();
        return new SpanNearQuery(spans(in), slop, inOrder);
      default:
        throw new IllegalArgumentException("no kind of query: " + kind);
    }
  }

  private static SpanQuery[] spans(Parts in) {
    SpanQuery[] spans = new SpanQuery[in.nextInt()];
    for (int i = 0; i < spans.length; i++) spans[i] = span(in.next(), in);
    return spans;
  }
}
