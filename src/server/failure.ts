import type { StoreSettings } from '../config/settings.ts'

/** The exit codes of svcctl. */
export const exitCodes = {
  fine: 0,
  bad: 1,
  usage: 2,
  unreachable: 3,
  signIn: 4,
  unwritten: 5,
  damaged: 6,
  changes: 10,
} as const

/** A command that could not do what it was asked; the message is for the operator. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.bad) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The store as it may be shown. */
export const storeText = (store: StoreSettings): string =>
  store.kind === 'embedded' ? `embedded:${store.path}` : store.shown

/** The failure of a store that could not be opened, or stopped answering; undefined for any other error. */
export function storeFailure(error: unknown, store: StoreSettings): CommandFailed | undefined {
  if (!(error instanceof Error)) return undefined
  switch (error.name) {
    case 'StoreLocked':
      return new CommandFailed(`✗ ${error.message}`)
    case 'RestoreInterrupted':
      return new CommandFailed(`✗ ${error.message}`)
    case 'StoreNotEmpty':
      return new CommandFailed(`✗ ${error.message}: restore into an empty one, or add --replace to delete its data`)
    case 'StoreRefused':
      return new CommandFailed(`✗ the store ${storeText(store)} is refused: ${error.message}`)
    case 'JournalDamaged':
      return storeDamaged(store.kind === 'embedded' ? store.path : storeText(store), error.message)
    case 'StoreUnavailable':
      return new CommandFailed(
        `✗ the store ${storeText(store)} cannot be reached: ${error.message}`,
        exitCodes.unreachable,
      )
    default:
      // EACCES or EEXIST, for instance: the path is no directory, or belongs to another user.
      if (!('path' in error && 'syscall' in error)) return undefined
      return new CommandFailed(`✗ the store ${storeText(store)} cannot be opened: ${error.message}`)
  }
}

/** The failure for a store that `checkStore` found damaged, or could not read: `diskError` is what the disk answered. */
export function storeDamaged(path: string, damage: string, diskError?: string): CommandFailed {
  const what =
    diskError === undefined
      ? `the store in ${path} is damaged: restore a backup, with svcctl restore FILE --replace`
      : `the disk of the store in ${path} cannot be read, it answers ${diskError}: repair it, or restore a backup on another disk`
  return new CommandFailed(`✗ ${what}\n  damaged: ${damage}; svcctl store check says what is whole`, exitCodes.damaged)
}
