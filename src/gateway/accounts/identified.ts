import type { EpochMs } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'

/** A caller, and the hash its key is admitted by. */
export interface Identified {
  readonly caller: Caller
  /** Absent for a sign-in, which needs no key. */
  readonly keyHash?: string
  /** The id of a sign-in, which is another than that of the account if it joined one; absent for a key. */
  readonly person?: string
  /** The mark by which its key keeps responses apart from those of the account. */
  readonly apart?: string
  /** Set for an agent token, which is good for inference and nothing else. */
  readonly scope?: 'inference'
  /** When what it was identified by ends: a sign-in's token, or a key that does not last for ever. */
  readonly expiresAt?: EpochMs
  /**
   * Set where the caller is recalled: as it was a few seconds ago. It may lead to an admission, which compares what it
   * depends on. Any other answer asks this first, once, which finds the caller in the store.
   */
  readonly confirm?: () => Promise<Identified | Denied>
}
