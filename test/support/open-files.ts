import { readdirSync, readlinkSync } from 'node:fs'

/** The files in a directory that this process has open. */
export function openFilesIn(directory: string): string[] {
  return readdirSync('/proc/self/fd')
    .map(linkOf)
    .filter(path => path.startsWith(directory))
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // Closed meanwhile, as the one that lists the directory is.
    return ''
  }
}
