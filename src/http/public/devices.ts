import { MOST_LOOKS_OF_PERSON } from '../../gateway/accounts/logins/logins.ts'
import { networkOf } from '../../gateway/accounts/networks.ts'
import type { SignIn } from '../../gateway/accounts/sign-in/sign-in.ts'
import { invalid } from '../../policy/denial.ts'
import { type Caller, isFrozen } from '../../policy/facts.ts'
import { frozenDenial } from '../../policy/frozen.ts'
import type { HttpCall } from '../listener/call.ts'
import { oneField } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the endpoints. */
type DeviceApp = Pick<ClientApp, 'logins'>

const readCode = oneField('user_code', { maxLength: 40 })

/** POST /v1/account/device: the device that waits for a person with a code. */
export async function showDevice(app: DeviceApp, call: HttpCall, caller: Caller): Promise<void> {
  const code = await lookedUp(app, call, caller)
  if (code === undefined) return
  const device = await app.logins?.look(code)
  if (!device) return call.deny(NO_DEVICE.denial)
  const { client, address, at } = device
  call.json(200, { object: 'device', client, address, asked_at: new Date(at).toISOString() }, UNCACHED)
}

/** POST /v1/account/device/approve: signs the device in as the person. */
export const approveDevice = deciding(true)

/** POST /v1/account/device/deny: tells the device that nobody signs it in. */
export const denyDevice = deciding(false)

function deciding(isApproved: boolean) {
  return async (app: DeviceApp, call: HttpCall, caller: Caller, signIn: SignIn): Promise<void> => {
    const code = await lookedUp(app, call, caller)
    if (code === undefined) return
    // Its tokens would only be refused later.
    if (isApproved && isFrozen(caller)) return call.deny(frozenDenial(caller.terms))
    const isDone = await app.logins?.decide(code, isApproved ? signIn : undefined)
    if (!isDone) return call.deny(NO_DEVICE.denial)
    call.json(200, { object: 'device', state: isApproved ? 'approved' : 'denied' }, UNCACHED)
  }
}

/** The code of a body, once the look at it is counted; undefined once it was refused. Right codes count too: nobody guesses by them. */
async function lookedUp({ logins }: DeviceApp, call: HttpCall, { account }: Caller): Promise<string | undefined> {
  const read = await readCode(call)
  if ('denial' in read) {
    call.deny(read.denial)
    return undefined
  }
  const retryAfterMs = (await logins?.countLook(account, networkOf(call.clientAddress))) ?? 0
  if (retryAfterMs === 0) return read.value
  const limit = MOST_LOOKS_OF_PERSON
  call.deny({ code: 'rate_limit_exceeded', type: 'requests', of: 'codes', limit, retryAfterMs })
  return undefined
}

const NO_DEVICE = invalid(
  'user_code',
  'is unknown, used or older than ten minutes: compare it with the one that Claude Code shows, or start /login again',
)
