import { hash } from 'node:crypto'
import { copiedText } from '../kit/copied-text.ts'
import { digest32 } from '../policy/balance/rendezvous.ts'
import { asObject, type JsonObject } from './json-safety.ts'

/** The headers of a request, by lower-case name. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The names of a conversation in the body of a request. */
export interface SessionNames {
  readonly promptCacheKey?: string
  /** The session in `metadata.user_id`, as Claude Code writes it. */
  readonly ofUser?: string
}

/** A request, as far as it names its conversation. */
export interface SessionSource {
  readonly headers: Headers
  readonly named?: SessionNames | undefined
  readonly account: string
}

/** Longer names are known by as much of their beginning. */
const MOST_CHARACTERS = 256
/** Claude Code's, and Codex's. */
const OF_AGENTS = ['x-claude-code-session-id', 'session_id'] as const
const AFFINITY = 'x-session-affinity'

/**
 * A digest of the conversation that a request belongs to; undefined where nothing names one, so that the beginning of its
 * prompt has to. Clients choose these names: the account is in the digest, so that nobody can aim at another's.
 */
export function sessionOf({ headers, named, account }: SessionSource): number | undefined {
  const name = sessionNameOf(headers, named)
  return name === undefined ? undefined : digest32(`${account}\0${name}`)
}

/**
 * The id of a conversation as rows of the ledger have it: its name where that is an id, else a digest, since a name may say who
 * asks. Undefined where nothing names one. At most 128 characters, without blanks.
 */
export function sessionIdOf(headers: Headers, named?: SessionNames): string | undefined {
  const name = sessionNameOf(headers, named)
  if (name === undefined || ID.test(name)) return name
  return `~${hash('sha256', name, 'base64url').slice(0, DIGEST_CHARACTERS)}`
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/
const DIGEST_CHARACTERS = 22

/** The name of a conversation: by the agent that sends it, else as the body or the header for it says. */
export function sessionNameOf(headers: Headers, named: SessionNames = {}): string | undefined {
  const names = [...OF_AGENTS.map(header => headers[header]), named.promptCacheKey, headers[AFFINITY], named.ofUser]
  const name = names.find((each): each is string => typeof each === 'string' && each !== '')
  return name?.slice(0, MOST_CHARACTERS)
}

/** The names of a conversation in a body, in any dialect; undefined where there is none. */
export function sessionNamesIn({ prompt_cache_key, metadata }: JsonObject): SessionNames | undefined {
  const promptCacheKey = typeof prompt_cache_key === 'string' ? prompt_cache_key : undefined
  const { user_id } = asObject(metadata)
  const ofUser = typeof user_id === 'string' ? sessionInUser(user_id) : undefined
  if (promptCacheKey === undefined && ofUser === undefined) return undefined
  return { ...(promptCacheKey !== undefined && { promptCacheKey }), ...(ofUser !== undefined && { ofUser }) }
}

/**
 * `user_…_account_…_session_ID`, or JSON with a `session_id`, by the version of the client. The id lives on among the remembered
 * requests, long after the body.
 */
const sessionInUser = (user: string): string | undefined => {
  const found = SESSION.exec(user.slice(0, MOST_USER_CHARACTERS))
  const session = found?.[1] ?? found?.[2]
  return session && copiedText(session)
}

const SESSION = /_session_([0-9A-Za-z-]{1,64})$|"session_id"\s*:\s*"([0-9A-Za-z-]{1,64})"/
const MOST_USER_CHARACTERS = 1024
