/**
 * The resource that this process has run out of, by the code that a connection failed with. That is a fault of the gateway: no backend
 * and no identity provider is the worse for it.
 */
export const lackOf = (code: string): string | undefined => LACKS.get(code)

export const isOwnFault = (code: string): boolean => LACKS.has(code)

const LACKS: ReadonlyMap<string, string> = new Map([
  ['EMFILE', 'file descriptors'],
  ['ENFILE', 'file descriptors'],
  ['ENOBUFS', 'room for sockets'],
  ['ENOMEM', 'memory'],
  ['EADDRNOTAVAIL', 'local ports'],
])

/** The operators' remedy. */
export const OWN_FAULT_HINT =
  'raise the limit of open files (LimitNOFILE), or of local ports, or lower limits.connections'
