import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Secret, type Settings } from '../../src/config/settings.ts'
import { ensureGuestSecrets, guestSecretFile, guestSecretsOf } from '../../src/server/guest-secret.ts'
import { loadGood, small } from '../config/files.ts'
import { removeFolder } from '../lanes/remove-folder.ts'

const GUESTS = 'guests: { plan: devices, usd_per_day_total: 1 }\n'
const devices = small.replace(
  'models:\n',
  '  devices: { models: all, rpm: 10, tpm: 10k, per_day: 9, monthly_usd: 1 }\nmodels:\n',
)

function settingsOf(guests = GUESTS, secrets: readonly Secret[] = []): Settings {
  const stateDir = join(mkdtempSync(join(tmpdir(), 'svc-guest-')), 'state')
  onTestFinished(() => removeFolder(join(stateDir, '..')))
  const { settings } = loadGood(guests + devices)
  const served = settings.guests && { guests: { ...settings.guests, secrets } }
  return { ...settings, ...served, server: { ...settings.server, stateDir } }
}
const texts = (secrets: readonly Secret[]) => secrets.map(secret => secret.reveal())

it('is made once, of 32 random bytes, for the owner alone, and nothing else is left there', async () => {
  const settings = settingsOf()
  const { stateDir } = settings.server

  const first = texts(await ensureGuestSecrets(settings, randomBytes))
  const again = texts(await ensureGuestSecrets(settings, randomBytes))

  expect(first).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
  expect(again).toEqual(first)
  expect(readFileSync(guestSecretFile(stateDir), 'utf8')).toBe(`${first[0]}\n`)
  expect(statSync(guestSecretFile(stateDir)).mode & 0o777).toBe(0o600)
  expect(readdirSync(stateDir)).toEqual(['guest-secret'])
})

it('eight processes that make it at once all have the same secret', async () => {
  const settings = settingsOf()

  const all = await Promise.all(Array.from({ length: 8 }, () => ensureGuestSecrets(settings, randomBytes)))

  expect(new Set(all.flatMap(texts)).size).toBe(1)
})

it('is not made by a tool, nor where there are no guests, nor where the configuration names one', async () => {
  const named = settingsOf(GUESTS, [new Secret('of the configuration')])
  const none = settingsOf('')

  expect(await guestSecretsOf(settingsOf())).toEqual([])
  expect(await ensureGuestSecrets(none, randomBytes)).toEqual([])
  expect(texts(await ensureGuestSecrets(named, randomBytes))).toEqual(['of the configuration'])
  for (const { server } of [named, none]) expect(() => statSync(server.stateDir)).toThrow('ENOENT')
})

it.each(['', 'half', `${'a'.repeat(43)}\n${'a'.repeat(43)}\n`])('one that holds %j is not used', async text => {
  const settings = settingsOf()
  await ensureGuestSecrets(settings, randomBytes)
  const file = guestSecretFile(settings.server.stateDir)
  chmodSync(file, 0o600)
  writeFileSync(file, text)

  await expect(ensureGuestSecrets(settings, randomBytes)).rejects.toThrow('put it back from a backup')
  expect(readFileSync(file, 'utf8')).toBe(text)
})
