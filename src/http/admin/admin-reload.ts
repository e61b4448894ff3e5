import { problemRecord } from '../../wire/errors/bodies.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readNothing } from '../listener/field.ts'
import { UNCACHED } from '../public/keys.ts'

/** POST /admin/reload: takes the files as they are now, whole or not at all. */
export async function reloadConfig(app: App, call: HttpCall, by: string): Promise<void> {
  const wrong = await readNothing(call)
  if (wrong) return call.deny(wrong)
  const reloaded = await app.reload(by)
  if (!reloaded.ok) return call.deny({ ...reloaded, code: 'RELOAD_REFUSED' })
  const { revision, previous, generation, changed, warnings } = reloaded
  call.json(200, { revision, previous, generation, changed, warnings: warnings.map(problemRecord) }, UNCACHED)
}
