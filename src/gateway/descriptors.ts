import { type LookupAddress, lookup } from 'node:dns'
import { closeSync, openSync } from 'node:fs'
import type { LookupFunction } from 'node:net'

/** Whether this process can open one more file or socket. Found out by opening one, which takes some microseconds. */
export function hasDescriptor(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    return !isExhausted(error)
  }
}

const isExhausted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')

/**
 * Looks names up as node does. A process without descriptors cannot read `/etc/hosts` or ask a name server, and gets the
 * error that there is no such name: that fault is reported as `EMFILE`, or it would count against the host.
 */
export const lookupHost: LookupFunction = (hostname, options, done) => {
  const found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) =>
    done(error === null ? null : ownFault(error), address, family)
  lookup(hostname, options, found)
}

function ownFault(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  if (hasDescriptor()) return error
  return Object.assign(new Error(`${error.message}: no file descriptor is left`), { code: 'EMFILE' })
}
