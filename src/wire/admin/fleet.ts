import type { EpochMs } from '../../policy/config.ts'
import { fixed, flag, list, moment, optional, record, type TypeOf, text, whole, word } from '../schema/schema.ts'

const DRIFTS = ['revision', 'version'] as const
const STORES = ['embedded', 'redis'] as const
type StoreKind = (typeof STORES)[number]

const GATEWAY = record(
  {
    gateway: text('`host:pid`'),
    version: text(),
    revision: text(),
    admin: text('The URL of its admin listener.'),
    since: moment(),
    in_flight: whole('Requests.'),
    asked: flag('Whether this is the gateway that was called.'),
  },
  'Gateway',
)

export interface ShownGateway extends TypeOf<typeof GATEWAY> {}

/** A difference between gateways. */
const DRIFT = record(
  {
    of: word(DRIFTS),
    sections: optional(
      list(text(), 'For revisions: the differing sections of the files, if all gateways report theirs.'),
    ),
    values: list(record({ value: text(), gateways: list(text()) }), 'The most common one comes first.'),
  },
  'Drift',
  'A difference between gateways.',
)

export interface Drift extends TypeOf<typeof DRIFT> {}

/** The gateways on one store, as operators see them. */
export const FLEET = record({
  object: fixed('list'),
  store: word(STORES, 'With an embedded store, the fleet is one gateway.'),
  data: list(GATEWAY),
  drift: list(DRIFT, 'The differences between the gateways.'),
})

export interface ShownFleet extends TypeOf<typeof FLEET> {}

/** A gateway that could not be asked. */
export const UNREACHED = record({ gateway: text(), problem: text() }, 'Unreached', 'A gateway that could not be asked.')

export interface Unreached extends TypeOf<typeof UNREACHED> {}

/** A gateway of the fleet, as it announces itself. */
export interface Member {
  /** The id of this process, from its start to its end. */
  readonly id: string
  /** `host:pid`, as its log has it. */
  readonly name: string
  readonly version: string
  readonly revision: string
  /** A digest of each section of its files, without what each machine has its own of; absent from an older gateway. */
  readonly sections?: Readonly<Record<string, string>>
  /** The URL of its admin listener, as the others reach it. */
  readonly admin: string
  readonly since: EpochMs
  /** Requests. */
  readonly inFlight: number
}

export const shownFleet = (store: StoreKind, members: readonly Member[], self: string): ShownFleet => ({
  object: 'list',
  store,
  data: members.map(({ id, name, version, revision, admin, since, inFlight }) => ({
    gateway: name,
    version,
    revision,
    admin,
    since: new Date(since).toISOString(),
    in_flight: inFlight,
    asked: id === self,
  })),
  drift: driftOf(members),
})

/**
 * Differences between gateways of a fleet, which should all serve the same. Files that differ only in fields that each
 * machine sets for itself are no drift.
 */
export const driftOf = (
  members: readonly Pick<Member, 'name' | 'revision' | 'version' | 'sections'>[],
): readonly Drift[] =>
  DRIFTS.flatMap(of => {
    const sections = of === 'revision' ? differentSections(members) : undefined
    if (sections?.length === 0) return []
    const gateways = new Map<string, string[]>()
    for (const member of members) gateways.set(member[of], [...(gateways.get(member[of]) ?? []), member.name])
    if (gateways.size < 2) return []
    const values = [...gateways].map(([value, names]) => ({ value, gateways: names }))
    const sorted = values.sort((a, b) => b.gateways.length - a.gateways.length)
    return [{ of, ...(sections && { sections }), values: sorted }]
  })

/** Undefined where a gateway does not say what its sections are. */
function differentSections(members: readonly Pick<Member, 'sections'>[]): readonly string[] | undefined {
  const all = members.map(({ sections }) => sections).filter(sections => sections !== undefined)
  if (all.length < members.length) return undefined
  const names = [...new Set(all.flatMap(sections => Object.keys(sections)))].sort()
  return names.filter(name => new Set(all.map(sections => sections[name])).size > 1)
}

/** `gateways serve different revisions (they differ in plans and pools): 3f2a… on gw-1:7, gw-2:7; 99ab… on gw-3:7` */
export function driftText({ of, sections, values }: Drift): string {
  const all = values.map(({ value, gateways }) => `${value} on ${gateways.join(', ')}`).join('; ')
  const parts = sections === undefined ? '' : ` (they differ in ${sections.join(', ')})`
  return `gateways ${of === 'revision' ? `serve different revisions${parts}` : 'have different versions'}: ${all}`
}
