import { revisionOf } from '../../config/read/reading.ts'
import type { Fleet } from '../../gateway/fleet/fleet.ts'
import { type AskPeer, refusalOf } from '../../gateway/fleet/peers.ts'
import type { Random } from '../../gateway/ports.ts'
import type { FleetChange, FleetStore } from '../../gateway/store/fleet-store.ts'
import type { Application, Applied, AppliedToAll, ExpectedGateway } from '../../http/changes.ts'
import type { Millis } from '../../policy/config.ts'
import type { ApplyDenial, Denied } from '../../policy/denial.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import { refusal } from '../apply/refusals.ts'
import { isOverdue, lastCommitted } from './outcome.ts'
import type { Participant } from './participant.ts'

interface CoordinatorPorts {
  readonly store: FleetStore
  readonly fleet: Fleet
  readonly askPeer: AskPeer
  readonly participant: Participant
  readonly random: Random
}

/**
 * Changes all gateways or none. The change lies in the store before any gateway is asked. Each prepares it; then one step
 * in the store commits it. A gateway that dies before that leaves all as they were; one that dies after it finds at its
 * next start what to serve. Where this one dies, the others find in the store what was decided, or drop it once it is overdue.
 */
export class Coordinator {
  readonly #ports: CoordinatorPorts

  constructor(ports: CoordinatorPorts) {
    this.#ports = ports
  }

  /** `expected` are the gateways that the operator saw, with what they served. Rejects where the store does not answer. */
  async applyToAll(application: Application, expected: readonly ExpectedGateway[]): Promise<AppliedToAll> {
    const { fleet, store } = this.#ports
    const state = await fleet.announce()
    const { members, change: before } = state
    const differing = differenceOf(members, expected)
    if (differing !== undefined) return refused(differing)
    if (before?.phase === 'preparing' && !isOverdue(state))
      return refused(`another change of all gateways is being prepared, by ${before.by}: try again in a minute`)

    const last = lastCommitted(state)
    const change: FleetChange = {
      id: Buffer.from(this.#ports.random(9)).toString('base64url'),
      phase: 'preparing',
      revision: revisionOf(application.files),
      by: application.by,
      members: members.map(({ id }) => id),
      until: state.at + PREPARE_MOST,
      before: last === undefined ? [] : committedBefore(before, last),
    }
    const { files, how, by, movePlans } = application
    const content = { files, how, by, movePlans: [...movePlans] }
    if (!(await store.setChange(change, before, content)))
      return refused('another change of all gateways began at the same moment')
    return this.#carryOut(change, members)
  }

  async #carryOut(change: FleetChange, members: readonly Member[]): Promise<AppliedToAll> {
    const { store } = this.#ports
    const problems = await this.#prepareAll(change, members)
    const [first] = problems
    if (first) {
      await store.setChange({ ...change, phase: 'dropped' }, change)
      await this.#settleAll(change, members)
      return { denial: mergedDenial(problems) }
    }
    if (!(await store.setChange({ ...change, phase: 'committed' }, change))) {
      await this.#settleAll(change, members)
      return refused('the gateways took too long to prepare it')
    }
    const settled = await this.#settleAll(change, members)
    const own = settled.get(this.#ports.fleet.self.id)
    const gateways = members.map(member => {
      const came = settled.get(member.id)
      const problem = came && problemOf(came)
      return { gateway: member.name, ...(problem !== undefined && { problem }) }
    })
    return own && 'applied' in own && !('denial' in own.applied)
      ? { ...own.applied, gateways }
      : refused(`it is decided, but this gateway could not apply it yet: ${own ? problemOf(own) : 'it is leaving'}`)
  }

  async #prepareAll({ id }: FleetChange, members: readonly Member[]): Promise<readonly Problem[]> {
    const { fleet, participant, askPeer } = this.#ports
    const asked = members.map(async (member): Promise<Problem | undefined> => {
      const { name: gateway, revision: previous } = member
      if (member.id === fleet.self.id) {
        const denied = await participant.prepare(id, previous)
        return denied && { gateway, ...denied }
      }
      const body = { change: id, previous }
      const question = { method: 'POST', path: '/admin/fleet/prepare', body, patience: PREPARE_MOST } as const
      const answer = await askPeer(member, question)
      if ('problem' in answer) return { gateway, problem: answer.problem }
      if (answer.status === 200) return undefined
      const { text } = answer.body
      return { gateway, problem: refusalOf(answer), ...(typeof text === 'string' && { text }) }
    })
    return (await Promise.all(asked)).flatMap(problem => problem ?? [])
  }

  /** Has each do at once what was decided; one that cannot be asked finds it in the store by itself. */
  async #settleAll({ id }: FleetChange, members: readonly Member[]): Promise<ReadonlyMap<string, Settled>> {
    const { fleet, participant, askPeer } = this.#ports
    const settled = members.map(async (member): Promise<readonly [string, Settled]> => {
      if (member.id === fleet.self.id) {
        const applied = await participant.settle(id)
        return [member.id, applied ? { applied } : { problem: 'it had not prepared it' }]
      }
      const question = {
        method: 'POST',
        path: '/admin/fleet/settle',
        body: { change: id },
        patience: SETTLE_MOST,
      } as const
      const answer = await askPeer(member, question)
      if ('problem' in answer) return [member.id, answer]
      return [member.id, answer.status === 200 ? {} : { problem: refusalOf(answer) }]
    })
    return new Map(await Promise.all(settled))
  }
}

/** So long all gateways together may take to prepare a change. */
const PREPARE_MOST: Millis = 45_000
const SETTLE_MOST: Millis = 30_000

/** Changes that a gateway which was away may still ask about. */
const REMEMBERED = 20

const committedBefore = (before: FleetChange | undefined, last: string): readonly string[] =>
  [...new Set([last, ...(before?.before ?? [])])].slice(0, REMEMBERED)

/** A gateway that cannot take a change: by itself, or as it says over the network. */
type Problem = { readonly gateway: string } & (
  | Extract<Applied, { readonly denial: unknown }>
  | { readonly problem: string; readonly text?: string }
)

/** The outcome of a change at a gateway. */
type Settled = { readonly applied: Applied } | { readonly problem: string } | Readonly<Record<string, never>>

function problemOf(settled: Settled): string | undefined {
  if ('problem' in settled) return settled.problem
  if (!('applied' in settled) || !('denial' in settled.applied)) return undefined
  const { denial } = settled.applied
  return 'reason' in denial ? denial.reason : denial.code
}

/** One refusal for all that gateways say against a change: that of this one as it is, for it has the places in the files. */
function mergedDenial(problems: readonly Problem[]): ApplyDenial {
  const own = problems.flatMap(each => ('denial' in each && each.denial.code === 'APPLY_REFUSED' ? [each.denial] : []))
  const reasons = problems.map(each => {
    if (!('denial' in each)) return `${each.gateway}: ${each.problem}`
    const { denial } = each
    const why = denial.code === 'APPLY_REFUSED' ? denial.reason : `revision ${denial.revision} is serving now`
    return `${each.gateway}: ${why}`
  })
  const texts = problems.flatMap(each => ('text' in each && each.text ? [each.text] : []))
  const { problems: found = [], text = texts[0] ?? '', plansInUse } = own[0] ?? {}
  const reason = `no gateway was changed. ${reasons.join('; ')}`
  return { code: 'APPLY_REFUSED', reason, problems: found, text, ...(plansInUse && { plansInUse }) }
}

/** How the fleet differs from the operator's view. */
function differenceOf(members: readonly Member[], expected: readonly ExpectedGateway[]): string | undefined {
  const lines = (all: readonly ExpectedGateway[]) =>
    all.map(({ gateway, revision }) => `${gateway} serves ${revision}`).sort()
  const [now, then] = [lines(members.map(({ name, revision }) => ({ gateway: name, revision }))), lines(expected)]
  if (now.join() === then.join()) return undefined
  return `the fleet changed since this was planned: now ${now.join(', ')}`
}

const refused = (reason: string): Denied<ApplyDenial> => ({
  denial: refusal(reason).denial as ApplyDenial,
})
