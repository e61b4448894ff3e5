import { setFlagsFromString } from 'node:v8'

/**
 * How V8 collects garbage in a process that serves (docs/decisions/018). By itself it gives the room for young objects
 * back after some seconds of rest, and the next requests pay for its growth. And it collects the whole heap once buffers
 * have taken 8 MB, which they do between two collections of the young: then it never gets to those.
 */
export const collectorFlags: readonly string[] = ['--no-memory-reducer', '--heap-growing-percent=200']

/** For the whole of this process, from its next collection on. */
export function tuneCollector(): void {
  for (const flag of collectorFlags) setFlagsFromString(flag)
}
