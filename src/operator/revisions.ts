import type { FileText } from '../config/settings.ts'
import { CommandFailed } from '../server/failure.ts'
import {
  readConfig,
  readPlanCounts,
  readRevisionLines,
  readServedConfig,
  readShownApplied,
  type ServedConfig,
  type ShownApplied,
  type ShownConfig,
  type ShownPlanCount,
  type ShownRevisionLine,
} from '../wire/admin/revision.ts'
import { isObject, type JsonObject } from '../wire/openai/body.ts'
import type { AdminEndpoint } from './operator-api.ts'
import { askGateway, postToGateway } from './remote.ts'

// Each asks a running gateway, and rejects with CommandFailed when it refuses.

export const servedConfig = async ({ admin, token }: AdminEndpoint): Promise<ServedConfig> =>
  readServedConfig(await askGateway(`${admin}/admin/config`, token, 'GET'))

/** Newest first. */
export const keptRevisions = async ({ admin, token }: AdminEndpoint): Promise<readonly ShownRevisionLine[]> =>
  readRevisionLines(await askGateway(`${admin}/admin/revisions`, token, 'GET'))

export const keptRevision = async ({ admin, token }: AdminEndpoint, number: number): Promise<ShownConfig> =>
  readConfig(await askGateway(`${admin}/admin/revisions?number=${number}`, token, 'GET'), 'at')

/** All plans that the files declare, then others that accounts are on. */
export const accountsByPlan = async ({ admin, token }: AdminEndpoint): Promise<readonly ShownPlanCount[]> =>
  readPlanCounts(await askGateway(`${admin}/admin/plans`, token, 'GET'))

export interface NewFiles {
  /** The revision that they were compared with. */
  readonly previous: string
  /** The main one first, by names relative to its directory. */
  readonly files: readonly FileText[]
  /** Plans that accounts go to, by those that they are on. */
  readonly movePlans?: Readonly<Record<string, string>>
  readonly how: 'apply' | 'rollback'
}

/** Sends files that are to serve. Rejects with ApplyRefused where the gateway does not take them. */
export async function applyFiles(
  { admin, token }: AdminEndpoint,
  { previous, files, movePlans = {}, how }: NewFiles,
): Promise<ShownApplied> {
  const body = { previous, files, move_plans: movePlans, how }
  const answer = await postToGateway(`${admin}/admin/apply`, token, body, ({ code, ...json }) =>
    code === 'APPLY_REFUSED' || code === 'REVISION_CHANGED' ? new ApplyRefused(code, json) : undefined,
  )
  return readShownApplied(answer)
}

/** A gateway that does not take files, and goes on with those that served. The message has all that it says. */
export class ApplyRefused extends CommandFailed {
  readonly code: 'APPLY_REFUSED' | 'REVISION_CHANGED'
  /** Plans that would go away while accounts are on them; empty where that is not the reason. */
  readonly plansInUse: readonly { readonly plan: string; readonly accounts: number }[]

  constructor(code: ApplyRefused['code'], answer: JsonObject) {
    const { text, error, plans_in_use: inUse } = answer
    super(`${typeof text === 'string' && text !== '' ? `${text}\n` : ''}✗ ${String(error)}`)
    this.code = code
    this.plansInUse = Array.isArray(inUse)
      ? inUse.filter(isObject).map(({ plan, accounts }) => ({ plan: String(plan), accounts: Number(accounts) }))
      : []
  }
}
