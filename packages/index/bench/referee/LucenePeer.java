import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Version;

/** Lucene as a peer of the referee; serve-peer.mjs tells the requests and answers. Caches of queries are off. */
public final class LucenePeer {
  private static final String FIELD = "body";
  private final Map<String, List<String>> classes = new HashMap<>();
  private IndexSearcher searcher;

  public static void main(String[] args) throws Exception {
    LucenePeer peer = new LucenePeer();
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.print(peer.answer(line.split("\t")) + "\n.\n");
      out.flush();
    }
  }

  private String answer(String[] request) throws IOException {
    switch (request[0]) {
      case "index":
        return index(Path.of(request[1]), Path.of(request[2]), Integer.parseInt(request[3]));
      case "open":
        return open(Path.of(request[1]), Path.of(request[2]));
      case "run":
        return run(request[1], classes.get(request[2]), Integer.parseInt(request[3]));
      case "results":
        return results(classes.get(request[1]));
      default:
        throw new IllegalArgumentException(request[0]);
    }
  }

  /** Words between single spaces. */
  private static final class SpaceTokenizer extends Tokenizer {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final char[] buffer = new char[1 << 14];
    private int length;
    private int at;

    @Override
    public boolean incrementToken() throws IOException {
      clearAttributes();
      char[] chars = term.buffer();
      int size = 0;
      while (at < length || fill()) {
        char c = buffer[at++];
        if (c == ' ') {
          if (size > 0) break;
        } else {
          if (size == chars.length) chars = term.resizeBuffer(2 * size);
          chars[size++] = c;
        }
      }
      term.setLength(size);
      return size > 0;
    }

    private boolean fill() throws IOException {
      at = 0;
      length = Math.max(0, input.read(buffer));
      return length > 0;
    }

    @Override
    public void reset() throws IOException {
      super.reset();
      at = 0;
      length = 0;
    }
  }

  private static Analyzer analyzer() {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        return new TokenStreamComponents(new SpaceTokenizer());
      }
    };
  }

  /** One segment: a buffer of 64 MB and one merge of neighbours. Several: a flush at each cut and nowhere else. */
  private static String index(Path corpus, Path folder, int segments) throws IOException {
    long start = cpuNanos();
    IndexWriterConfig config = new IndexWriterConfig(analyzer());
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setUseCompoundFile(false);
    config.setMergeScheduler(new SerialMergeScheduler());
    config.setRAMBufferSizeMB(segments > 1 ? 1024 : 64);
    if (segments > 1) {
      config.setMergePolicy(NoMergePolicy.INSTANCE);
    } else {
      LogDocMergePolicy policy = new LogDocMergePolicy();
      policy.setMergeFactor(1000);
      config.setMergePolicy(policy);
    }
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS);
    type.setTokenized(true);
    type.freeze();
    List<String> lines = Files.readAllLines(corpus, StandardCharsets.ISO_8859_1);
    int cut = (lines.size() + segments - 1) / segments;
    try (Directory directory = FSDirectory.open(folder)) {
      try (IndexWriter writer = new IndexWriter(directory, config)) {
        Field field = new Field(FIELD, "", type);
        Document document = new Document();
        document.add(field);
        for (int i = 0; i < lines.size(); i++) {
          field.setStringValue(lines.get(i));
          writer.addDocument(document);
          if (segments > 1 && (i + 1) % cut == 0) writer.commit();
        }
        if (segments == 1) writer.forceMerge(1);
        writer.commit();
      }
      long bytes = 0;
      for (String name : directory.listAll()) bytes += directory.fileLength(name);
      return (cpuNanos() - start) / 1e9 + "\t" + bytes;
    }
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private String open(Path folder, Path queries) throws IOException {
    classes.clear();
    for (String line : Files.readAllLines(queries)) {
      String[] fields = line.split("\t");
      if (fields.length > 1) classes.computeIfAbsent(fields[0], name -> new ArrayList<>()).add(fields[1]);
    }
    DirectoryReader reader = DirectoryReader.open(FSDirectory.open(folder));
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
    return Version.LATEST + ", Java " + System.getProperty("java.version") + "\t" + reader.leaves().size();
  }

  private static Query toQuery(String text) {
    if (text.startsWith("\"")) return new PhraseQuery(FIELD, text.substring(1, text.length() - 1).split(" "));
    boolean all = text.startsWith("+");
    String[] words = text.split(" ");
    if (words.length == 1 && !all) return new TermQuery(new Term(FIELD, text));
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (String word : words) {
      builder.add(new TermQuery(new Term(FIELD, all ? word.substring(1) : word)), all ? Occur.MUST : Occur.SHOULD);
    }
    return builder.build();
  }

  /** Keeps results from being optimized away. */
  private long sink;

  private String run(String command, List<String> texts, int passes) throws IOException {
    double[] best = new double[texts.size()];
    java.util.Arrays.fill(best, Double.POSITIVE_INFINITY);
    for (int pass = 0; pass < passes; pass++) {
      for (int i = 0; i < best.length; i++) {
        long start = System.nanoTime();
        Query query = toQuery(texts.get(i));
        if (command.equals("COUNT")) {
          sink += searcher.count(query);
        } else {
          int threshold = command.equals("TOP_10") ? 10 : Integer.MAX_VALUE;
          sink += searcher.search(query, new TopScoreDocCollectorManager(10, null, threshold)).scoreDocs.length;
        }
        best[i] = Math.min(best[i], (System.nanoTime() - start) / 1e3);
      }
    }
    StringBuilder line = new StringBuilder();
    for (double micros : best) line.append(line.length() == 0 ? "" : " ").append(micros);
    return line.toString();
  }

  private String results(List<String> texts) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (String text : texts) {
      Query query = toQuery(text);
      if (lines.length() > 0) lines.append('\n');
      lines.append(searcher.count(query));
      for (ScoreDoc hit : searcher.search(query, new TopScoreDocCollectorManager(10, null, 10)).scoreDocs) {
        lines.append(' ').append(hit.doc).append(':').append(hit.score);
      }
    }
    return lines.toString();
  }
}
