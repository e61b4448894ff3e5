import { signal } from '@preact/signals'
import { boot, prefix } from '../boot.ts'
import { replaceAddress } from '../frame/router.ts'
import * as common from '../texts/common.ts'
import type { Begun, Tokens } from './oidc.ts'

/** Whether somebody is signed in. In `ended`, the page keeps its data but cannot refresh it. */
export type State = 'starting' | 'out' | 'in' | 'ended'
export const state = signal<State>('starting')

/** Why the last sign-in failed, for its reader. */
export const problem = signal<string | undefined>(undefined)

/** In memory alone: neither storage nor an address ever has them. */
let tokens: Tokens | undefined
let own: OwnSession | undefined
let waiting: (() => void)[] = []

/** The access token. Where the sign-in has ended it waits until there is one again. */
export async function accessToken(): Promise<string> {
  while (tokens === undefined || state.peek() !== 'in') await new Promise<void>(resolve => waiting.push(resolve))
  return tokens.access
}

/**
 * The gateway refused what was asked for with a token. Whether it may be asked for again once there is another one: a sign-in
 * is renewed. Operators, and keys, learn at the door that they are none any more.
 */
export function refused(
  token: string,
  { code, message }: { readonly code: string; readonly message: string },
): boolean {
  // A key that a body names is no word on a sign-in.
  const isOfCaller = code === 'INVALID_TOKEN' || code === 'NO_AUTH' || (own?.access === token && code === 'INVALID_KEY')
  if (!isOfCaller || state.peek() === 'out') return false
  if (tokens?.access !== token || state.peek() !== 'in') return true
  if (own === undefined && boot.door === 'public') {
    void expire()
    return true
  }
  leave(message)
  return false
}

/** A sign-in to the gateway itself, which no provider knows. */
export interface OwnSession {
  readonly access: string
  /** This machine's clock. */
  readonly expiresAt: number
  /** It is over in this tab, however that came. */
  readonly forget: () => void
  /** Its reader ends it. */
  readonly end: () => Promise<unknown>
}

/** Is signed in from now on. */
export function adopt(session: OwnSession): void {
  own = session
  accept({ access: session.access, refresh: undefined, id: undefined, expiresAt: session.expiresAt })
}

/** Shows the door, and why. */
export function leave(why: string | undefined): void {
  forget()
  state.value = 'out'
  problem.value = why
}

/** Takes up what the address or an earlier page of this tab says. */
export async function start(): Promise<void> {
  if (location.pathname === `${prefix}/callback`) return answered()
  if (!canSignIn || sessionStorage.getItem(WAS) === null) {
    state.value = 'out'
    return
  }
  await signIn(true)
}

/** Whether this console knows where to sign people in, in a browser that can. */
export const canSignIn = boot.issuer !== null && boot.client_id !== null && isSecureContext

/** Leaves for the provider; this page is over with that. */
export async function signIn(silent = false): Promise<void> {
  problem.value = undefined
  try {
    const { url, ...begun } = await (await oidc()).begin(silent ? 'silent.' : 'page.', silent)
    sessionStorage.setItem(BEGUN, JSON.stringify({ ...begun, to: location.href.slice(location.origin.length) }))
    location.assign(url)
  } catch (error) {
    fail(error)
  }
}

/** Renews a sign-in that ended, beside the page; where popups are blocked, in its place. */
export async function resume(): Promise<void> {
  // At once: a browser opens popups for clicks alone.
  const popup = open('', '', 'popup,width=480,height=640')
  if (!popup) return signIn()
  const channel = new BroadcastChannel(CHANNEL)
  try {
    const { url, ...begun } = await (await oidc()).begin(POPUP, true)
    popup.location.href = url
    const answer = await answerOf(channel, begun)
    // Nobody is signed in at the provider any more: this page asks, where it can be seen who asks.
    if (new URL(answer).searchParams.has('error')) return await signIn()
    accept(await (await oidc()).redeem(new URL(answer), begun))
  } catch (error) {
    problem.value = wordsOf(error)
  } finally {
    channel.close()
    popup.close()
  }
}

export async function signOut(): Promise<void> {
  const ended = tokens
  const session = own
  // Pages go first: what they ask for at a session that is over is refused.
  leave(undefined)
  if (session) return void (await session.end().catch(() => undefined))
  const url = ended && (await (await oidc()).endSession(ended).catch(() => undefined))
  if (url !== undefined) location.assign(url)
}

const WAS = 'svc.was'
const BEGUN = 'svc.begun'
const CHANNEL = 'svc.signin'
const POPUP = 'popup.'

let timer: ReturnType<typeof setTimeout> | undefined

/** Loaded where it is needed: the page itself needs nothing of it to be shown. */
const oidc = () => import('./oidc.ts')

/** The provider sent the browser back. */
async function answered(): Promise<void> {
  const answer = new URL(location.href)
  if (answer.searchParams.get('state')?.startsWith(POPUP)) return handOver(answer)
  const begun = takeBegun()
  replaceAddress(begun?.to ?? prefix)
  if (!begun) return fail(new Error(common.notBegun))
  const denied = answer.searchParams.get('error')
  if (begun.state.startsWith('silent.') && SILENT.has(denied ?? '')) {
    return leave(undefined)
  }
  try {
    accept(await (await oidc()).redeem(answer, begun))
  } catch (error) {
    fail(error)
  }
}

/** A sign-in without questions ends so where nobody is signed in: that is no fault. */
const SILENT = new Set(['login_required', 'interaction_required', 'consent_required', 'account_selection_required'])

/** Takes the state kept over the redirect; it serves once. */
function takeBegun(): (Omit<Begun, 'url'> & { readonly to: string }) | undefined {
  const kept = sessionStorage.getItem(BEGUN)
  sessionStorage.removeItem(BEGUN)
  return kept === null ? undefined : JSON.parse(kept)
}

/** Hands the answer of a popup to the tab that opened it, which has the state to check it by. */
function handOver(answer: URL): void {
  history.replaceState(null, '', prefix)
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(answer.href)
  close()
}

function answerOf(channel: BroadcastChannel, { state }: Omit<Begun, 'url'>): Promise<string> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error(common.notFinished)), POPUP_MS)
    channel.onmessage = ({ data }) => {
      if (typeof data !== 'string' || new URL(data).searchParams.get('state') !== state) return
      clearTimeout(timeout)
      resolve(data)
    }
  })
}

const POPUP_MS = 120_000

function accept(next: Tokens): void {
  tokens = next
  if (!own) sessionStorage.setItem(WAS, '1')
  problem.value = undefined
  state.value = 'in'
  clearTimeout(timer)
  timer = setTimeout(() => void expire(), Math.min(Math.max(0, next.expiresAt - Date.now()), LONGEST_TIMER))
  const run = waiting
  waiting = []
  for (const each of run) each()
}

/** The longest time that setTimeout takes, in ms. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The token is over: another one is had without a question, or its reader is asked. */
async function expire(): Promise<void> {
  clearTimeout(timer)
  if (own) return leave(common.sessionOver)
  const { refresh } = tokens ?? {}
  state.value = 'ended'
  if (!tokens || refresh === undefined) return
  try {
    accept(await (await oidc()).renew({ ...tokens, refresh }))
  } catch {
    // Said by the bar: the sign-in has ended.
    tokens = { ...tokens, refresh: undefined }
  }
}

function forget(): void {
  own?.forget()
  own = undefined
  tokens = undefined
  clearTimeout(timer)
  sessionStorage.removeItem(WAS)
}

const fail = (error: unknown): void => leave(wordsOf(error))

function wordsOf(error: unknown): string {
  const { host } = new URL(boot.issuer ?? location.origin)
  if (error instanceof TypeError) return common.providerDown(host)
  return common.signInFailed(error instanceof Error ? error.message : String(error))
}
