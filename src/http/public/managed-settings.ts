import type { Identified } from '../../gateway/accounts/identified.ts'
import { planOf } from '../../policy/plan.ts'
import { etagOf, hasAlready, type ManagedSettings, managedSettings } from '../../wire/claude/managed-settings.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import type { HttpCall } from '../listener/call.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** GET /managed/settings: the settings of Claude Code that the files declare for the caller's plan. */
export async function showManagedSettings(
  { config, settings }: Pick<ClientApp, 'config' | 'settings'>,
  call: HttpCall,
  { caller }: Identified,
): Promise<void> {
  const plan = planOf(config, caller)?.name
  const declared = plan === undefined ? undefined : settings.identity?.claudeLogin?.settings.get(plan)
  const managed = declared && managedOf(declared)
  if (!managed) return call.deny({ code: 'NOT_FOUND', problem: 'No settings are managed for this plan.' })
  const headers = { ...UNCACHED, etag: etagOf(managed) }
  if (hasAlready(managed, call.request.headers['if-none-match'])) return call.empty(304, headers)
  call.json(200, managed, headers)
}

/** The checksum of settings is computed once. */
const known = new WeakMap<JsonObject, ManagedSettings>()

function managedOf(declared: JsonObject): ManagedSettings {
  const managed = known.get(declared) ?? managedSettings(declared)
  known.set(declared, managed)
  return managed
}
