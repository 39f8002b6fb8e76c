import java.io.IOException;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.DoublePoint;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.SortedSetDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MergePolicy;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.BooleanSimilarity;
import org.apache.lucene.search.similarities.ClassicSimilarity;
import org.apache.lucene.search.similarities.PerFieldSimilarityWrapper;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.NumericUtils;

/** One index in memory, of which a segment is made by each commit and none is merged unasked. */
final class OracleIndex {
  private Directory directory;
  private IndexWriter writer;
  private DirectoryReader reader;
  /** The id of each document, by its number in the index. */
  private String[] ids;

  void open() throws IOException {
    if (writer != null) {
      writer.close();
      directory.close();
    }
    if (reader != null) reader.close();
    reader = null;
    directory = new ByteBuffersDirectory();
    IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
    config.setMergePolicy(NoMergePolicy.INSTANCE);
    config.setMergeScheduler(new SerialMergeScheduler());
    config.setRAMBufferSizeMB(512);
    config.setUseCompoundFile(false);
    writer = new IndexWriter(directory, config);
  }

  void add(Parts parts) throws IOException {
    writer.addDocument(document(parts.next(), parts));
  }

  void update(Parts parts) throws IOException {
    String id = parts.next();
    writer.updateDocument(new Term("id", id), document(id, parts));
  }

  void delete(Query query) throws IOException {
    if (query instanceof TermQuery) writer.deleteDocuments(((TermQuery) query).getTerm());
    else writer.deleteDocuments(query);
  }

  void commit() throws IOException {
    writer.commit();
    if (reader != null) reader.close();
    reader = DirectoryReader.open(directory);
    ids = new String[reader.maxDoc()];
    for (LeafReaderContext leaf : reader.leaves()) {
      SortedSetDocValues values = leaf.reader().getSortedSetDocValues("id");
      for (int doc = values.nextDoc(); doc < leaf.reader().maxDoc(); doc = values.nextDoc()) {
        ids[leaf.docBase + doc] = values.lookupOrd(values.nextOrd()).utf8ToString();
      }
    }
  }

  void forceMerge(int segments) throws IOException {
    withMerging(() -> writer.forceMerge(segments));
  }

  void forceMergeDeletes() throws IOException {
    withMerging(() -> writer.forceMergeDeletes());
  }

  private interface Merge {
    void run() throws IOException;
  }

  private void withMerging(Merge merge) throws IOException {
    // Flushed before, so that nothing but what is asked for is merged.
    writer.flush();
    MergePolicy none = writer.getConfig().getMergePolicy();
    writer.getConfig().setMergePolicy(new TieredMergePolicy());
    merge.run();
    writer.getConfig().setMergePolicy(none);
  }

  /** Segments, documents with and without the deleted ones. */
  String stats() {
    return reader.leaves().size() + "\t" + reader.maxDoc() + "\t" + reader.numDocs();
  }

  /** Number of matches, then the id and score of each of the best. */
  String search(String similarity, int limit, Query query) throws IOException {
    IndexSearcher searcher = searcher(similarity);
    int best = Math.max(1, Math.min(limit, reader.maxDoc()));
    TopDocs found = searcher.search(query, new TopScoreDocCollectorManager(best, Integer.MAX_VALUE));
    StringBuilder answer = new StringBuilder().append(found.totalHits.value);
    for (ScoreDoc hit : found.scoreDocs) answer.append('\t').append(ids[hit.doc]).append('\t').append(hit.score);
    return answer.toString();
  }

  String explain(String similarity, String id, Query query) throws IOException {
    IndexSearcher searcher = searcher(similarity);
    TopDocs found = searcher.search(new TermQuery(new Term("id", id)), 1);
    return found.scoreDocs.length == 0 ? "no such document" : searcher.explain(query, found.scoreDocs[0].doc).toString();
  }

  private IndexSearcher searcher(String name) {
    IndexSearcher searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(similarity(name));
    return searcher;
  }

  private static Similarity similarity(String name) {
    switch (name) {
      case "bm25":
        return new BM25Similarity();
      case "classic":
        return new ClassicSimilarity();
      case "boolean":
        return new BooleanSimilarity();
      case "perField":
        return new PerField();
      default:
        throw new IllegalArgumentException("no similarity: " + name);
    }
  }

  /** A formula for each field, as tests/src/lucene/spindle-engine.ts has them. */
  private static final class PerField extends PerFieldSimilarityWrapper {
    private final Similarity title = new BM25Similarity(0.9f, 0.3f);
    private final Similarity body = new ClassicSimilarity();
    private final Similarity tag = new BooleanSimilarity();
    private final Similarity others = new BM25Similarity();

    @Override
    public Similarity get(String field) {
      switch (field) {
        case "title":
          return title;
        case "body":
          return body;
        case "tag":
          return tag;
        default:
          return others;
      }
    }
  }

  /** The id as a keyword, then kind, name and value of each field. */
  private static Document document(String id, Parts parts) {
    Document document = new Document();
    addKeyword(document, "id", id);
    for (int left = parts.nextInt(); left > 0; left--) {
      String kind = parts.next();
      String name = parts.next();
      switch (kind) {
        case "text":
          document.add(new TextField(name, parts.next(), Field.Store.NO));
          break;
        case "keyword":
          addKeyword(document, name, parts.next());
          break;
        case "number":
          double value = parts.nextDouble();
          document.add(new DoublePoint(name, value));
          document.add(new SortedNumericDocValuesField(name, NumericUtils.doubleToSortableLong(value)));
          break;
        default:
          throw new IllegalArgumentException("no kind of field: " + kind);
      }
    }
    return document;
  }

  private static void addKeyword(Document document, String name, String value) {
    document.add(new StringField(name, value, Field.Store.NO));
    document.add(new SortedSetDocValuesField(name, new BytesRef(value)));
  }
}
