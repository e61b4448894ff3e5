import { askOpen } from '../shared/api.ts'
import { replaceAddress } from '../shared/frame/router.ts'
import { adopt, leave, type OwnSession, start } from '../shared/sign-in/session.ts'

/** Takes up a sign-in: by the code that the address has behind `#`, as an earlier page of this tab left it, or at the provider. */
export async function startOperator(): Promise<void> {
  const code = takeCode()
  // A link that is opened where the console is open loads no page.
  addEventListener('hashchange', () => {
    const next = takeCode()
    if (next !== undefined) void redeem(next)
  })
  if (code !== undefined) return redeem(code)
  const kept = sessionStorage.getItem(KEPT)
  if (kept === null) return start()
  const { token, expires_at }: Issued = JSON.parse(kept)
  adopt(sessionOf(token, expires_at))
}

/** Exchanges the admin token for a session at once: it is kept nowhere. `name` is for the audit. */
export async function signInByToken(token: string, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...(name !== '' && { 'x-svcctl-as': name }) }
  const { code } = await askOpen<{ readonly code: string }>('/admin/console/code', {}, headers)
  await exchange(code)
}

/** The code in the address, which works once; it is taken out of there before anything else. */
function takeCode(): string | undefined {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1]
  if (code !== undefined) replaceAddress(location.pathname + location.search)
  return code
}

async function redeem(code: string): Promise<void> {
  try {
    await exchange(code)
  } catch (error) {
    leave(error instanceof Error ? error.message : String(error))
  }
}

async function exchange(code: string): Promise<void> {
  const issued = await askOpen<Issued>('/admin/console/session', { code })
  sessionStorage.setItem(KEPT, JSON.stringify(issued))
  adopt(sessionOf(issued.token, issued.expires_at))
}

interface Issued {
  readonly token: string
  readonly expires_at: string
}

const sessionOf = (token: string, expiresAt: string): OwnSession => ({
  access: token,
  expiresAt: Date.parse(expiresAt),
  forget: () => sessionStorage.removeItem(KEPT),
  end: () => askOpen('/admin/console/end', {}, { authorization: `Bearer ${token}` }),
})

/** The token's place in this tab, gone with it. */
const KEPT = 'svc.operator'
