/** What an address says: the names of its host, folders and file, without what all addresses have in common. */

const COMMON =
  /^(?:www\d*|index|default|main|home|html?|xhtml|php\d?|aspx?|jsp|cgi|com|org|net|gov|edu|localhost|\d+)$/i
const MAX_WORDS = 40

/** The words of an address, separated by spaces; queries of addresses hold ids and are left out. */
export function addressWords(url: string): string {
  const { protocol, hostname, pathname } = new URL(url)
  // The folders of a local file say where it lies, which is nothing about it.
  const path = protocol === 'file:' ? pathname.slice(pathname.lastIndexOf('/') + 1) : pathname
  const words = `${hostname}/${decoded(path)}`.split(/[^\p{L}\p{M}\p{N}]+/u)
  return words
    .filter((word) => word !== '' && !COMMON.test(word))
    .slice(0, MAX_WORDS)
    .join(' ')
}

/** Letters beyond ASCII as such; what is no UTF-8 as it stands. */
function decoded(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return ' '
    }
  })
}
