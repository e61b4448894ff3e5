import type { FailoverSection, PoolSection } from '../file.ts'
import { unitOf } from '../model/units.ts'
import { valueAt } from '../model/value-at.ts'
import {
  defaultAt,
  isSetting,
  POOL_SETTINGS,
  type PoolSetting,
  type PoolSettingGroup,
  type PoolSettings,
  unitAt,
} from '../pool-settings.ts'

/** The numbers that hold for a pool: its own, or those of `failover`; else those known of its provider, and then the defaults. */
export function settlePool(
  own: Partial<PoolSection>,
  common: FailoverSection,
  known: Partial<PoolSettings>,
): PoolSettings {
  const written = (path: string) => (valueAt(own, path) ?? valueAt(common, path)) as Written
  // The type of PoolSettings follows from the same rows.
  return settled(POOL_SETTINGS, known, written) as unknown as PoolSettings
}

type Written = string | number | undefined

function settled(
  rows: Readonly<Record<string, PoolSetting | PoolSettingGroup>>,
  known: Readonly<Record<string, unknown>>,
  written: (path: string) => Written,
): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(rows)) {
    const value = isSetting(row)
      ? (read(row, written(row.path)) ?? known[name] ?? read(row, defaultAt(row.path)))
      : settled(row, {}, written)
    if (value !== undefined) settings[name] = value
  }
  return settings
}

const read = ({ path }: PoolSetting, written: Written): number | undefined =>
  written === undefined ? undefined : unitOf(unitAt(path), written)
