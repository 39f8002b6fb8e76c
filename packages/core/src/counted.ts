/** A number and its noun, as people write them. */

/**
 * `1 page`, `2 pages`, `0 pages`.
 * @param many the plural, where it is not the noun with an s
 */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}
