/**
 * The largest piece of memory that code asks for at once, seen by standing in front of the constructors of buffers and
 * typed arrays: a length that a damaged file tells must not become an allocation.
 */

const CONSTRUCTORS = [
  'ArrayBuffer',
  'SharedArrayBuffer',
  'Uint8Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float64Array',
  'BigUint64Array',
] as const

let largest = 0

function note(bytes: number): void {
  if (bytes > largest) largest = bytes
}

/** Begins to watch, for good. */
export function watchAllocations(): void {
  const scope = globalThis as unknown as Record<string, new (...args: unknown[]) => object>
  for (const name of CONSTRUCTORS) {
    const original = scope[name]
    const size = (original as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1
    scope[name] = new Proxy(original, {
      construct(target, args: unknown[], newTarget) {
        if (typeof args[0] === 'number') note(args[0] * size)
        return Reflect.construct(target, args, newTarget)
      },
    })
  }
  for (const name of ['alloc', 'allocUnsafe', 'allocUnsafeSlow'] as const) {
    const original = Buffer[name]
    Buffer[name] = (length: number, ...rest: []) => {
      note(length)
      return original.call(Buffer, length, ...rest)
    }
  }
}

/** Bytes of the largest piece since the last call. */
export function takeLargest(): number {
  const bytes = largest
  largest = 0
  return bytes
}
