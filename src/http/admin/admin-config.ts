import { accountsByPlan } from '../../gateway/accounts/plans.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import { invalid, isDenial } from '../../wire/openai/body.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readQuery } from '../listener/query.ts'
import { UNCACHED } from '../public/keys.ts'

/** GET /admin/config: what serves, with the texts of its files. No secret is in them. */
export function showConfig(app: App, call: HttpCall): void {
  const { log, directory } = app.settings.decisions
  call.json(200, { ...shownRevision(app.revisions.serving, 'since'), decisions: { log, directory } }, UNCACHED)
}

/** GET /admin/revisions: those that are kept, newest first; or one of them, by its number, with its files. */
export async function listRevisions(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['number'])
  if (isDenial(query)) return call.deny(query)
  const { revisions } = app
  if (query.number === undefined) {
    const { number: serving } = revisions.serving
    const lines = revisions.list().map(({ number, revision, at, by, how, files }) => {
      return { number, revision, at: new Date(at).toISOString(), by, how, files, serves: number === serving }
    })
    return call.json(200, { revisions: lines }, UNCACHED)
  }
  if (!/^[1-9][0-9]{0,8}$/.test(query.number)) return call.deny(invalid('number', 'must be the number of a revision'))
  const kept = await revisions.find(Number(query.number))
  if (!kept) return call.deny({ code: 'NOT_FOUND', problem: `Revision ${query.number} is not kept.` })
  call.json(200, shownRevision(kept, 'at'), UNCACHED)
}

/** GET /admin/plans: how many accounts are on each. */
export async function listPlans({ store, config }: App, call: HttpCall): Promise<void> {
  call.json(200, { plans: await accountsByPlan(store.accounts, config) }, UNCACHED)
}

const shownRevision = ({ revision, number, at, by, how, files }: RevisionFiles, when: 'since' | 'at') => ({
  revision,
  number,
  [when]: new Date(at).toISOString(),
  by,
  how,
  main: files[0]?.file ?? '',
  files,
})
