import type { StoreSettings } from '../config/settings.ts'
import { CommandFailed, exitCodes } from './failure.ts'

/** The store as it may be shown. */
export const storeText = (store: StoreSettings): string =>
  store.kind === 'embedded' ? `embedded:${store.path}` : store.shown

/** What to tell of a store that could not be opened, or stopped answering; undefined when the error is another one. */
export function storeFailure(error: unknown, store: StoreSettings): CommandFailed | undefined {
  if (!(error instanceof Error)) return undefined
  switch (error.name) {
    case 'StoreLocked':
      return new CommandFailed(`✗ ${error.message}`)
    case 'StoreRefused':
      return new CommandFailed(`✗ the store ${storeText(store)} is refused: ${error.message}`)
    case 'StoreUnavailable':
      return new CommandFailed(
        `✗ the store ${storeText(store)} cannot be reached: ${error.message}`,
        exitCodes.unreachable,
      )
    default:
      // Such as EACCES or EEXIST: the operator's directory is not one, or not theirs.
      if (!('path' in error && 'syscall' in error)) return undefined
      return new CommandFailed(`✗ the store ${storeText(store)} cannot be opened: ${error.message}`)
  }
}
