/**
 * What addresses have in common that differ in the values of their parameters only: scheme, host, path and the names of the
 * parameters. How many addresses there are of a shape is kept with the queues ({@link Admission}).
 */
import { urlKey } from './url-key.js'

/** The shape of an address, the names of its parameters in order, once each; undefined where there is no query. */
export function queryShape(url: string): string | undefined {
  const start = url.indexOf('?')
  if (start < 0) return undefined
  const names = new Set<string>()
  for (const part of url.slice(start + 1).split('&')) {
    const equals = part.indexOf('=')
    // A query that is no list of parameters (`?2026-05-01`) is a value.
    names.add(equals < 0 ? '' : part.slice(0, equals))
  }
  return `${url.slice(0, start)}?${[...names].sort().join('&')}`
}

/** A number for the shape of an address, 0 … 2^53 − 1; undefined where there is no query. */
export function queryShapeKey(url: string): number | undefined {
  const shape = queryShape(url)
  return shape === undefined ? undefined : urlKey(shape, 0)
}
