import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.queryparser.classic.ParseException;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;

/**
 * Lucene as a process that tests talk to: a command a line, its parts separated by tabs, and one line back for each,
 * {@code error}, a tab and a message where it failed. Texts hold no tab and no line break; in answers they stand as
 * {@code \t} and {@code \n}. See tests/src/lucene/lucene-engine.ts for the other end.
 */
public final class Oracle {
  private final OracleIndex index = new OracleIndex();

  public static void main(String[] args) throws IOException {
    IndexSearcher.setMaxClauseCount(Integer.MAX_VALUE);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
    PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    Oracle oracle = new Oracle();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer;
      try {
        answer = oracle.answer(new Parts(line));
      } catch (Exception | StackOverflowError e) {
        answer = "error\t" + escape(e.getClass().getSimpleName() + ": " + e.getMessage());
      }
      out.print(answer);
      out.print('\n');
      // Answers go out together as long as more commands wait.
      if (!in.ready()) out.flush();
    }
    out.flush();
  }

  private String answer(Parts parts) throws IOException, ParseException {
    String command = parts.next();
    switch (command) {
      case "open":
        index.open();
        return "ok";
      case "add":
        index.add(parts);
        return "ok";
      case "update":
        index.update(parts);
        return "ok";
      case "delete":
        index.delete(QueryReader.read(parts));
        return "ok";
      case "commit":
        index.commit();
        return "ok";
      case "forceMerge":
        index.forceMerge(parts.nextInt());
        return "ok";
      case "forceMergeDeletes":
        index.forceMergeDeletes();
        return "ok";
      case "stats":
        return index.stats();
      case "search":
        return index.search(parts.next(), parts.nextInt(), QueryReader.read(parts));
      case "explain":
        return escape(index.explain(parts.next(), parts.next(), QueryReader.read(parts)));
      case "print":
        return escape(QueryReader.read(parts).toString());
      case "parse":
        return parse(parts.next(), parts.next(), unescape(parts.next()));
      default:
        throw new IllegalArgumentException("no command: " + command);
    }
  }

  /** Lucene's classic parser on a text; its printed form. */
  private static String parse(String operator, String field, String text) throws ParseException {
    QueryParser parser = new QueryParser(field, new WhitespaceAnalyzer());
    parser.setDefaultOperator(operator.equals("and") ? QueryParser.Operator.AND : QueryParser.Operator.OR);
    parser.setAllowLeadingWildcard(true);
    return escape(parser.parse(text).toString(field));
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n");
  }

  private static String unescape(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        char next = text.charAt(++i);
        plain.append(next == 't' ? '\t' : next == 'r' ? '\r' : next == 'n' ? '\n' : next);
      } else plain.append(c);
    }
    return plain.toString();
  }
}
