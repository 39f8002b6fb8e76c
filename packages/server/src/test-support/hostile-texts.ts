/** Texts that would run, or break the page, wherever one is printed without care. For tests only. */

/** As typed into the box, or found in a crawled page. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  '</title><script>alert(1)</script>',
  '</textarea><img src=x onerror=alert(1)>',
  '{{7*7}}#{7*7}<%= 7*7 %><%~ it %>',
  '<a href="javascript:alert(1)">x</a>',
  '" autofocus onfocus=alert(1) x="',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;',
  '<em>',
  '</em><em onclick=alert(1)>',
  '\ue000\ue001\u0001\u0002',
  '<!--',
  ']]><script>',
  '\u202e<b>',
  'javascript:alert(1)',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '+ADw-script+AD4-',
]
