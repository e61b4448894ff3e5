import { findDecision } from '../../adapters/decisions/find.ts'
import type { MainProcess } from '../app.ts'
import { ensureBackupKey } from '../backup-key.ts'
import { version } from '../version.ts'
import type { Base } from './base.ts'
import type { Control } from './control.ts'
import type { Counted } from './counted.ts'
import type { GatewayHooks } from './hooks.ts'
import type { Stored } from './stored.ts'

/** Ports of the operator endpoints to the gateway's files, fleet, counts and past. */
export type OperatorPorts = Pick<
  MainProcess,
  | 'about'
  | 'alarms'
  | 'apply'
  | 'archiving'
  | 'audited'
  | 'backupKey'
  | 'canaries'
  | 'compare'
  | 'explain'
  | 'fleet'
  | 'fleetChanges'
  | 'metrics'
  | 'peers'
  | 'recordSeries'
  | 'reload'
  | 'reloads'
  | 'revisions'
>

interface Parts {
  readonly stored: Stored
  readonly control: Control
  readonly counted: Counted
}

interface Hooks {
  /** Name of the process in its log. */
  readonly name: string
  readonly explain: GatewayHooks['explain'] | undefined
}

export function operatorPorts(base: Base, parts: Parts, { name, explain }: Hooks): OperatorPorts {
  const { world, clock, alarms, serving } = base
  const { stored, control, counted } = parts
  const { reloader, applier, revisions, compare, audited, canaries, fleet, peers, coordinator, participant } = control
  return {
    about: { version, gateway: name, startedAt: clock.now() },
    alarms: alarms.recent,
    archiving: stored.archiving,
    backupKey: () => ensureBackupKey(serving.settings.server.stateDir, world.random),
    ...{ audited, canaries, revisions, compare, fleet, peers, fleetChanges: { coordinator, participant } },
    metrics: counted.metrics,
    recordSeries: counted.recordSeries,
    reloads: reloader.counts,
    reload: by => reloader.reload(by),
    apply: application => applier.apply(application),
    explain: async requestId => {
      const { config, settings } = serving.current
      const line = await findDecision(settings.decisions.directory, requestId, settings.listener.requestTimeout)
      return line === undefined ? undefined : explain?.({ config, settings }, line)
    },
  }
}
