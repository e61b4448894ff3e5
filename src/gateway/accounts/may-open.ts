import type { Denied } from '../../policy/denial.ts'
import type { AccountRecord, AccountStore } from '../store/account-store.ts'
import { isOfSignIn } from './invitations.ts'
import type { SignIn } from './sign-in/sign-in.ts'

/**
 * Refuses the first sign-in of a person whose label is that of an account which an operator opened: it would open a
 * second account with a second quota. Sign-ins with an account are looked up once; one that joined an account may leave
 * it again.
 */
export class MayOpen {
  readonly #accounts: Pick<AccountStore, 'find' | 'findByLabel'>
  readonly #known = new Set<string>()

  constructor(accounts: Pick<AccountStore, 'find' | 'findByLabel'>) {
    this.#accounts = accounts
  }

  async refusalOf({ account, label, isService }: Opening): Promise<Denied | undefined> {
    if (label === undefined || isService || this.#known.has(account)) return undefined
    const opened = await this.#openedAs(label)
    if (opened?.signIns?.includes(account)) return undefined
    if (opened && !(await this.#accounts.find(account)))
      return { denial: { code: 'INVITATION_NEEDED', label: opened.label } }
    // Without an account, this sign-in opens one now.
    if (this.#known.size >= KNOWN) this.#known.clear()
    this.#known.add(account)
    return undefined
  }

  /** Mail addresses that differ in case are the same. */
  async #openedAs(label: string): Promise<AccountRecord | undefined> {
    for (const each of new Set([label, label.toLowerCase()])) {
      const opened = (await this.#accounts.findByLabel(each)).find(isOpened)
      if (opened) return opened
    }
    return undefined
  }
}

type Opening = Pick<SignIn, 'account' | 'label' | 'isService'>

const isOpened = ({ account, kind }: AccountRecord): boolean => kind === 'developer' && !isOfSignIn(account)

/** Each is an id of 45 characters. */
const KNOWN = 10_000
