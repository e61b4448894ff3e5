import { guestKey } from '../../gateway/accounts/guests.ts'
import { networkOf } from '../../gateway/accounts/networks.ts'
import { mostOf } from '../../policy/limits/named-rules.ts'
import { DEVICE_ID } from '../../wire/names.ts'
import type { HttpCall } from '../listener/call.ts'
import { oneField } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of minting guest keys. */
type GuestsApp = Pick<ClientApp, 'config' | 'settings' | 'store' | 'guestSecrets'>

const readDeviceId = oneField('device_id', {
  pattern: DEVICE_ID,
  description: 'must have 1 to 256 printable characters',
})

/** POST /v1/keys/guest: the key of a device, without an account. */
export async function mintGuestKey(
  { config, settings, store, guestSecrets }: GuestsApp,
  call: HttpCall,
): Promise<void> {
  const plan = config.guestPlan
  if (!settings.guests || !plan)
    return call.deny({ code: 'NOT_FOUND', problem: 'This gateway does not serve devices without an account.' })
  const deviceId = await readDeviceId(call)
  if ('denial' in deviceId) return call.deny(deviceId.denial)

  const { mintPerIpHour, mintPerNetHour } = settings.guests
  const address = call.clientAddress
  const minted = await guestKey(store, {
    brand: settings.brand,
    secrets: guestSecrets,
    deviceId: deviceId.value,
    counts: [
      { name: `guest-ip:${address}`, limit: mintPerIpHour },
      { name: `guest-net:${networkOf(address)}`, limit: mintPerNetHour },
    ],
  })
  switch (minted.outcome) {
    case 'key': {
      const perDay = mostOf(plan.limits, 'per_day')
      const cap = Number.isFinite(perDay) ? { rate_limit_per_day: perDay } : {}
      return call.json(200, { key: minted.value, plan: plan.name, ...cap }, UNCACHED)
    }
    case 'ended':
      return call.deny({ code: 'INVALID_KEY' })
    case 'wait': {
      const { retryAfterMs } = minted
      return call.deny({ code: 'rate_limit_exceeded', type: 'guest_keys', shared: true, retryAfterMs })
    }
  }
}
