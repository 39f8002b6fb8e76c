/** The parts of a command, read from left to right. */
final class Parts {
  private final String[] parts;
  private int at = 0;

  Parts(String line) {
    parts = line.split("\t", -1);
  }

  String next() {
    return parts[at++];
  }

  int nextInt() {
    return Integer.parseInt(next());
  }

  float nextFloat() {
    return Float.parseFloat(next());
  }

  double nextDouble() {
    return Double.parseDouble(next());
  }

  boolean nextBoolean() {
    return Boolean.parseBoolean(next());
  }

  /** A text, or null where it is empty. */
  String nextOrNull() {
    String next = next();
    return next.isEmpty() ? null : next;
  }
}
