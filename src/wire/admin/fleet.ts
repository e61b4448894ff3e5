import type { EpochMs } from '../../policy/config.ts'
import type { JsonObject } from '../json-safety.ts'
import { count, flag, list, object, oneOf, text } from './record-fields.ts'

/** The gateways on one store, as operators see them. */
export interface ShownFleet {
  readonly object: 'list'
  /** The fleet of an embedded store is one gateway. */
  readonly store: StoreKind
  readonly data: readonly ShownGateway[]
  /** What is not the same on all. */
  readonly drift: readonly Drift[]
}

export interface ShownGateway {
  /** `host:pid` */
  readonly gateway: string
  readonly version: string
  readonly revision: string
  /** The URL of its admin listener. */
  readonly admin: string
  readonly since: string
  /** Requests. */
  readonly in_flight: number
  /** Whether this is the one that was asked. */
  readonly asked: boolean
}

/** Something that gateways differ in. */
export interface Drift {
  readonly of: (typeof DRIFTS)[number]
  /** For revisions: the differing sections of the files, if all gateways report theirs. */
  readonly sections?: readonly string[]
  /** The one that most have is first. */
  readonly values: readonly { readonly value: string; readonly gateways: readonly string[] }[]
}

const DRIFTS = ['revision', 'version'] as const
const STORES = ['embedded', 'redis'] as const
type StoreKind = (typeof STORES)[number]

/** A gateway that could not be asked. */
export interface Unreached {
  readonly gateway: string
  readonly problem: string
}

/** A gateway of the fleet, as it announces itself. */
export interface Member {
  /** Of this process, from its start to its end. */
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

/** Reads the fleet that a gateway sent. Throws TypeError where it is of another form. */
export const readFleet = (record: JsonObject): ShownFleet => ({
  object: 'list',
  store: oneOf(STORES, record, 'store'),
  data: list(record.data, 'gateways').map(each => readGateway(object(each, 'gateway'))),
  drift: list(record.drift, 'drift').map(each => readDrift(object(each, 'drift'))),
})

const readGateway = (record: JsonObject): ShownGateway => ({
  gateway: text(record, 'gateway'),
  version: text(record, 'version'),
  revision: text(record, 'revision'),
  admin: text(record, 'admin'),
  since: text(record, 'since'),
  in_flight: count(record, 'in_flight'),
  asked: flag(record, 'asked'),
})

const readDrift = (record: JsonObject): Drift => ({
  of: oneOf(DRIFTS, record, 'of'),
  ...(record.sections !== undefined && { sections: list(record.sections, 'sections').map(String) }),
  values: list(record.values, 'values').map(each => {
    const value = object(each, 'value')
    return { value: text(value, 'value'), gateways: list(value.gateways, 'gateways').map(String) }
  }),
})

/** Those that an answer for several gateways names; none where it names none. */
export const readUnreached = ({ unreached = [] }: JsonObject): readonly Unreached[] =>
  list(unreached, 'gateways').map(each => {
    const record = object(each, 'gateway')
    return { gateway: text(record, 'gateway'), problem: text(record, 'problem') }
  })
