import { describe, expect, it } from 'vitest'
import { backupText } from '../../../src/cli/backup/text.ts'
import { widthOf } from '../../../src/cli/kit/table.ts'
import type { CheckedBackup } from '../../../src/gateway/backup/check.ts'
import { atWidth } from '../at-width.ts'

const began = Date.UTC(2026, 10, 22, 2, 30)
const DAY = Math.floor(began / 86_400_000)

const checked: CheckedBackup = {
  header: {
    ...{ svc_backup: 1, gateway: '0.2.0', began, store: 'redis', rows_since: 0 },
    config: { revision: 'a7481f1a2e60', files: [] },
  },
  bytes: 141_234_567,
  signed: { by: 'trusted', key: '3f9a17c20b8e4d51' },
  counts: { account: 1_000_000, key: 1_200_013, org: 12, row: 45_000_001, total: 9_000_000, audit: 4012, hold: 7 },
  wrong: [
    { of: 'spend', day: DAY - 21, whose: 'acct_ada' },
    ...Array.from({ length: 12 }, (_, at) => ({ of: 'total' as const, day: DAY - 1, whose: `acct_${at}` })),
    { of: 'tools', day: DAY - 1, whose: 'acct_ada' },
    { of: 'waste', day: DAY, whose: 'onprem' },
  ],
}

describe.each([80, 120, 200])('in %s columns', columns => {
  it('a backup is its golden text, and no line is longer', async () => {
    const right = atWidth(columns, () => backupText('/backups/nightly.svc', { ...checked, wrong: [] }))
    const wrong = atWidth(columns, () => backupText('/backups/nightly.svc', checked))
    const text = `${right}\n${wrong}`

    await expect(text).toMatchFileSnapshot(`../golden/backup-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})
