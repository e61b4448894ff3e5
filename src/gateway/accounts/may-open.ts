import type { Denied } from '../../policy/denial.ts'
import type { AccountRecord, AccountStore } from '../store/account-store.ts'
import { isOfSignIn } from './invitations.ts'
import type { SignIn } from './sign-in/sign-in.ts'

/**
 * Refuses the first sign-in of a person whose label is that of an account which an operator opened: it would begin a second account,
 * with a quota of its own. A sign-in that has an account is looked up once; one that joined an account may leave it again.
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
    // Where there was none, this sign-in opens it now.
    if (this.#known.size >= KNOWN) this.#known.clear()
    this.#known.add(account)
    return undefined
  }

  /** Mail addresses in other case are the same mail address. */
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
