import { asObject } from './json-safety.ts'

/**
 * The person in the name of an end user, in whichever field a client or a proxy before us puts it. Claude Code names a device, an
 * account and a session there: the person is the account, or the
 * device where nobody is signed in, for each start begins another session. It writes JSON since 2.1.78, and wrote
 * `user_…_account_…_session_…` before. Other clients name a person as they like.
 */
export function personIn(userId: string): string {
  const { device, account } = userId.startsWith('{') ? inJson(userId) : inText(userId)
  return account || device || userId
}

interface Named {
  readonly device?: string | undefined
  readonly account?: string | undefined
}

function inText(userId: string): Named {
  const [, device, account] = TEXT.exec(userId) ?? []
  return { device, account }
}

const TEXT = /^user_([0-9a-f]+)_account_([0-9a-f-]*)_session_[0-9a-f-]+$/

function inJson(userId: string): Named {
  if (userId.length > JSON_CHARS) return {}
  try {
    const { device_id: device, account_uuid: account, session_id: session } = asObject(JSON.parse(userId))
    return typeof session === 'string' ? { device: textOf(device), account: textOf(account) } : {}
  } catch {
    return {}
  }
}

/** Claude Code's has some 200. */
const JSON_CHARS = 1024

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
