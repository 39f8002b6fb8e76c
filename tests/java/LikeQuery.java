import java.io.IOException;
import java.io.StringReader;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.queries.mlt.MoreLikeThis;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;

/** Documents like a text: becomes the query that MoreLikeThis makes for the index that is searched. */
final class LikeQuery extends Query {
  private final String field;
  private final String text;
  private final int minTermFreq;
  private final int minDocFreq;

  LikeQuery(Parts in) {
    field = in.next();
    text = in.next();
    minTermFreq = in.nextInt();
    minDocFreq = in.nextInt();
  }

  @Override
  public Query rewrite(IndexSearcher searcher) throws IOException {
    MoreLikeThis like = new MoreLikeThis(searcher.getIndexReader());
    like.setAnalyzer(new WhitespaceAnalyzer());
    like.setFieldNames(new String[] {field});
    like.setMinTermFreq(minTermFreq);
    like.setMinDocFreq(minDocFreq);
    like.setMaxQueryTerms(Integer.MAX_VALUE - 1);
    return like.like(field, new StringReader(text));
  }

  @Override
  public void visit(QueryVisitor visitor) {
    visitor.visitLeaf(this);
  }

  @Override
  public String toString(String defaultField) {
    return "like " + field + " " + text + " " + minTermFreq + " " + minDocFreq;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LikeQuery && other.toString().equals(toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }
}
