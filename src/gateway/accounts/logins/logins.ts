import type { EpochMs, Millis } from '../../../policy/config.ts'
import { isFrozen } from '../../../policy/facts.ts'
import type { Alarm, Clock } from '../../ports.ts'
import type { AccountStore } from '../../store/account-store.ts'
import type { LoginStore } from '../../store/login-store.ts'
import type { Identify } from '../identify.ts'
import type { AgentSignIn, AgentTokens, CarriedSignIn } from '../sign-in/agent-tokens.ts'
import { LONGEST_AGENT_TOKEN } from '../sign-in/agent-tokens.ts'
import { judgeRefresh, judgeUse, type RefreshState } from './judge-refresh.ts'
import { type LoginSeals, type RefreshToken, readUserCode } from './seals.ts'

/** Dependencies of logins. */
export interface LoginPorts {
  readonly seals: LoginSeals
  readonly tokens: AgentTokens
  readonly clock: Pick<Clock, 'now'>
  readonly alarm: Alarm
  readonly store: { readonly logins: LoginStore; readonly accounts: Pick<AccountStore, 'countEvent'> }
}

/** The device that asks to be signed in; nothing it says is proven. */
export interface AskingDevice {
  /** The client's name and version, as it claims. */
  readonly client: string
  readonly address: string
  readonly at: EpochMs
}

/** A device that waits for a person. */
export interface StartedDevice {
  readonly deviceCode: string
  readonly userCode: string
}

export interface LoginTokens {
  readonly accessToken: string
  readonly expiresAt: EpochMs
  readonly refreshToken: string
  readonly label?: string
}

/** The reason why a device or client gets no tokens, in the terms of RFC 6749 and RFC 8628. */
export type LoginRefusal = 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' | 'invalid_grant'

/** A device code in the store. */
type DeviceRecord =
  | { readonly state: 'pending'; readonly device: AskingDevice }
  | { readonly state: 'approved'; readonly signIn: CarriedSignIn }
  | { readonly state: 'denied' }

/** A stored login, from its sign-in to its end, with all of its refresh and access tokens. */
interface LoginRecord extends RefreshState {
  readonly signIn: CarriedSignIn
  readonly since: EpochMs
}

/**
 * Sign-ins by the device flow (RFC 8628): a device gets a code, a person who signed in approves it, and the device gets an agent token
 * and a refresh token. Codes work once, for ten minutes. A login ends after 24 hours, when it is revoked, or when one of its refresh
 * tokens is used again; its access tokens end with it.
 */
export class Logins {
  readonly #ports: LoginPorts

  constructor(ports: LoginPorts) {
    this.#ports = ports
  }

  /**
   * Starts a login for a device. Returns the wait in milliseconds if its network, or all together, started too many;
   * undefined without a secret.
   */
  async start(device: AskingDevice, network: string): Promise<StartedDevice | { readonly wait: Millis } | undefined> {
    const { seals, store } = this.#ports
    if (!(await seals.isReady())) return undefined
    const counts = [
      { name: `login:start:${network}`, limit: MOST_STARTS_OF_NETWORK },
      { name: 'login:start', limit: MOST_STARTS },
    ]
    const wait = await store.accounts.countEvent(counts, DEVICE_LIFE)
    if (wait > 0) return { wait }
    const record: DeviceRecord = { state: 'pending', device }
    const deviceCode = seals.newSecret()
    const name = seals.nameOf('device', deviceCode)
    await store.logins.put(name, JSON.stringify(record), DEVICE_LIFE)
    for (;;) {
      const userCode = seals.newUserCode()
      // Another device may have the same code.
      if (await store.logins.put(seals.nameOf('code', userCode), name, DEVICE_LIFE)) return { deviceCode, userCode }
    }
  }

  /**
   * Counts a person's look at a code. Returns the wait in milliseconds if they, their network, or all together looked
   * too often.
   */
  countLook(account: string, network: string): Promise<Millis> {
    const counts = [
      { name: `login:look:${account}`, limit: MOST_LOOKS_OF_PERSON },
      { name: `login:look-from:${network}`, limit: MOST_LOOKS_OF_NETWORK },
      { name: 'login:look', limit: MOST_LOOKS },
    ]
    return this.#ports.store.accounts.countEvent(counts, DEVICE_LIFE)
  }

  /** The device that waits with a code; undefined if there is none. */
  async look(userCode: string): Promise<AskingDevice | undefined> {
    return (await this.#pending(userCode))?.device
  }

  /** Signs the device in as a person, or refuses it; false if no device waits with the code. */
  async decide(userCode: string, signIn: CarriedSignIn | undefined): Promise<boolean> {
    const found = await this.#pending(userCode)
    if (!found) return false
    const next: DeviceRecord = signIn ? { state: 'approved', signIn: carriedOf(signIn) } : { state: 'denied' }
    const { logins } = this.#ports.store
    if (!(await logins.replace(found.name, found.text, JSON.stringify(next)))) return false
    await logins.replace(found.code, found.name)
    return true
  }

  /** The tokens of a device, once. */
  async poll(deviceCode: string, identify: Pick<Identify, 'carried'>): Promise<LoginTokens | LoginRefusal> {
    const { seals, store } = this.#ports
    if (!(await seals.isReady())) return 'expired_token'
    const name = seals.nameOf('device', deviceCode)
    const text = await store.logins.find(name)
    if (text === undefined) return 'expired_token'
    const record = JSON.parse(text) as DeviceRecord
    if (record.state === 'pending') {
      const wait = await store.accounts.countEvent([{ name: `login:poll:${name}`, limit: 1 }], POLL_EVERY - SLACK)
      return wait > 0 ? 'slow_down' : 'authorization_pending'
    }
    // If two devices poll at once, only one of them removes it.
    if (!(await store.logins.replace(name, text))) return 'expired_token'
    if (record.state === 'denied') return 'access_denied'
    return this.#open(record.signIn, identify)
  }

  /** Exchanges a refresh token for new tokens. */
  async refresh(
    token: string,
    network: string,
    identify: Pick<Identify, 'carried'>,
  ): Promise<LoginTokens | LoginRefusal> {
    const { seals, store, clock } = this.#ports
    const read = seals.readRefreshToken(token)
    if (!read) return 'invalid_grant'
    const name = seals.nameOf('login', read.login)
    const from = seals.networkMark(name, network)
    for (;;) {
      const text = await store.logins.find(name)
      if (text === undefined) return 'invalid_grant'
      const record = JSON.parse(text) as LoginRecord
      const judged = judgeRefresh(record, { generation: read.generation, now: clock.now(), from })
      const { outcome } = judged
      if (outcome === 'stale') return 'invalid_grant'
      if (outcome === 'rotated' && (await this.#isRefused(record, identify))) return 'invalid_grant'
      const isStored = await (outcome === 'reused'
        ? this.#end(name, text, record)
        : store.logins.replace(name, text, recordText(record, judged.next)))
      if (!isStored) continue
      if (outcome !== 'rotated') return 'invalid_grant'
      return this.#tokensOf(record, name, { login: read.login, generation: judged.next.generation })
    }
  }

  /**
   * Whether the login of an access token is still open. If its replaced refresh token was used from another network, it
   * stays open only if that network uses its newest tokens in time.
   */
  async isOpen({ login: name = '', generation = -1 }: AgentSignIn, network: string): Promise<boolean> {
    const { seals, store, clock } = this.#ports
    for (;;) {
      const text = await store.logins.find(name)
      if (text === undefined) return false
      const record = JSON.parse(text) as LoginRecord
      if (!record.doubt) return true
      const sent = { generation, now: clock.now(), from: seals.networkMark(name, network) }
      const judged = judgeUse(record, sent)
      if (judged.outcome === 'open') return true
      const done =
        judged.outcome === 'over'
          ? await this.#end(name, text, record)
          : await store.logins.replace(name, text, recordText(record, judged.next))
      if (done) return judged.outcome === 'proven'
    }
  }

  /** Ends the login of a refresh or access token; any other token ends nothing. */
  async revoke(token: string): Promise<void> {
    const { seals, tokens, store } = this.#ports
    const read = seals.readRefreshToken(token)
    const name = read ? seals.nameOf('login', read.login) : tokens.loginOf(token)
    if (name === undefined) return
    for (;;) {
      const text = await store.logins.find(name)
      if (text === undefined || (await store.logins.replace(name, text))) return
    }
  }

  /** Ends a login after a reuse; false if it changed at the same time. */
  async #end(name: string, text: string, { signIn }: LoginRecord): Promise<boolean> {
    const { store, alarm } = this.#ports
    if (!(await store.logins.replace(name, text))) return false
    alarm('a refresh token was used again: its login has ended', { account: signIn.account })
    return true
  }

  async #open(signIn: CarriedSignIn, identify: Pick<Identify, 'carried'>): Promise<LoginTokens | LoginRefusal> {
    const { seals, store, clock } = this.#ports
    const record: LoginRecord = { signIn, since: clock.now(), generation: 0, replaced: [] }
    if (await this.#isRefused(record, identify)) return 'access_denied'
    const login = seals.newSecret()
    const name = seals.nameOf('login', login)
    await store.logins.put(name, JSON.stringify(record), LOGIN_LIFE)
    return this.#tokensOf(record, name, { login, generation: 0 })
  }

  /** Whether the person is no longer served: frozen, deactivated, or without an account. */
  async #isRefused({ signIn, since }: LoginRecord, identify: Pick<Identify, 'carried'>): Promise<boolean> {
    const found = await identify.carried({ ...signIn, expiresAt: since + LOGIN_LIFE })
    return 'denial' in found || isFrozen(found.caller)
  }

  async #tokensOf(
    record: Pick<LoginRecord, 'signIn' | 'since'>,
    name: string,
    token: RefreshToken,
  ): Promise<LoginTokens | LoginRefusal> {
    const { tokens, seals, clock } = this.#ports
    const { signIn, since } = record
    const life = Math.min(LONGEST_AGENT_TOKEN, since + LOGIN_LIFE - clock.now())
    const issued = await tokens.issue(signIn, life, { login: name, generation: token.generation })
    if (!issued) return 'invalid_grant'
    return {
      accessToken: issued.token,
      expiresAt: issued.expiresAt,
      refreshToken: seals.refreshToken(token),
      ...(signIn.label !== undefined && { label: signIn.label }),
    }
  }

  async #pending(userCode: string): Promise<PendingDevice | undefined> {
    const { seals, store } = this.#ports
    const read = readUserCode(userCode)
    if (read === undefined || !(await seals.isReady())) return undefined
    const code = seals.nameOf('code', read)
    const name = await store.logins.find(code)
    const text = name === undefined ? undefined : await store.logins.find(name)
    if (name === undefined || text === undefined) return undefined
    const record = JSON.parse(text) as DeviceRecord
    return record.state === 'pending' ? { code, name, text, device: record.device } : undefined
  }
}

/** A login with other refresh tokens, as it is stored. */
const recordText = ({ signIn, since }: LoginRecord, state: RefreshState): string =>
  JSON.stringify({ signIn, since, ...state } satisfies LoginRecord)

interface PendingDevice {
  /** The names of its user code and its device code. */
  readonly code: string
  readonly name: string
  /** The record as it is stored. */
  readonly text: string
  readonly device: AskingDevice
}

/** The claims of a sign-in that decide plan and account. */
const carriedOf = ({ account, plan, org, label, issuedAt }: CarriedSignIn): CarriedSignIn => ({
  account,
  ...(plan !== undefined && { plan }),
  ...(org !== undefined && { org }),
  ...(label !== undefined && { label }),
  issuedAt,
})

/** Codes of a device and of a person, and the window of all counts here. */
export const DEVICE_LIFE: Millis = 600_000
/** Counted from the approval, whatever is refreshed. */
const LOGIN_LIFE: Millis = 86_400_000
/** How often a device may ask. */
export const POLL_EVERY: Millis = 5000
/** A client's timer may be early. */
const SLACK: Millis = 1000
const MOST_STARTS_OF_NETWORK = 60
const MOST_STARTS = 10_000
export const MOST_LOOKS_OF_PERSON = 20
const MOST_LOOKS_OF_NETWORK = 200
const MOST_LOOKS = 5000
