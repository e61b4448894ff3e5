import { describe, expect, it } from 'vitest'
import { CAUSES } from '../../../../src/policy/billing/bill/bill.ts'
import { reconcile } from '../../../../src/policy/billing/bill/reconcile.ts'
import { PLANTS, type Plant, PRICES, plantedBill } from './planted-bill.ts'

/** Each cause alone, each pair, and more of them together. */
const COMBINED: readonly (readonly Plant[])[] = [
  [],
  ...PLANTS.map(plant => [plant]),
  ...PLANTS.flatMap((one, at) => PLANTS.slice(at + 1).map(other => [one, other])),
  ['price_drift', 'cache_kinds', 'late_usage'],
  ['failed_attempts', 'past_the_gateway', 'time_zone'],
  ['price_drift', 'late_usage', 'time_zone'],
  ['cache_kinds', 'failed_attempts', 'past_the_gateway', 'late_usage'],
  ['price_drift', 'cache_kinds', 'failed_attempts', 'time_zone'],
  PLANTS.filter(plant => plant !== 'time_zone'),
  PLANTS,
]

describe('a bill whose differences were planted', () => {
  it.each(COMBINED.map((plants, at) => [plants.join(' + ') || 'nothing', plants, at + 1] as const))(
    'has each cause with its exact amount, and nothing unexplained: %s',
    (_, plants, seed) => {
      const { input, planted } = plantedBill(seed, plants, true)
      const { causes, gross, unexplainedGross, billed, recorded, cells } = reconcile(input)
      expect({ causes, unexplainedGross }).toEqual({
        causes: { ...planted, estimates: 0n, no_tokens: 0n },
        unexplainedGross: 0n,
      })
      expect(CAUSES.filter(cause => gross[cause] !== 0n)).toEqual(PLANTS.filter(plant => plants.includes(plant)))
      expect(CAUSES.reduce((sum, cause) => sum + causes[cause], 0n)).toBe(billed - recorded)
      for (const cell of cells)
        expect(Object.values(cell.causes).reduce((sum, each) => sum + each, 0n) + cell.unexplained).toBe(
          cell.billed - cell.recorded,
        )
    },
  )

  it.each(PLANTS.map((plant, at) => [plant, at + 100] as const))(
    'is understood by amounts alone, where the export has no tokens: %s',
    (plant, seed) => {
      const { input, planted } = plantedBill(seed, [plant], false)
      const { causes, unexplainedGross } = reconcile(input)
      expect({ causes, unexplainedGross }).toEqual({
        causes: { ...planted, estimates: 0n, no_tokens: 0n },
        unexplainedGross: 0n,
      })
    },
  )
})

const use = { began: Date.UTC(2026, 9, 1, 12), ended: Date.UTC(2026, 9, 1, 12), model: 'large', kind: 'input' as const }
const line = { day: '2026-10-01', model: 'large', kind: 'input' as const, lines: 1, isElsewhere: false }

describe('what no cause explains', () => {
  it('usage that the bill lacks stays unexplained, and amounts of two days do not hide each other', () => {
    const uses = [
      { ...use, tokens: 100, isFailed: false, isEstimated: false },
      { ...use, model: 'small', tokens: 1000, isFailed: false, isEstimated: false },
    ]
    const lines = [{ ...line, tokens: 60, amount: 240_000n }]
    const { unexplained, unexplainedGross, recorded } = reconcile({ lines, uses, prices: PRICES })
    expect({ recorded, unexplained, unexplainedGross }).toEqual({
      ...{ recorded: 800_000n, unexplained: -560_000n, unexplainedGross: 560_000n },
    })
  })

  it('an estimate explains a difference up to its own tokens, in both directions', () => {
    const uses = [{ ...use, tokens: 100, isFailed: false, isEstimated: true }]
    const at = (tokens: number) =>
      reconcile({ lines: [{ ...line, tokens, amount: BigInt(tokens) * 4000n }], uses, prices: PRICES })
    expect(at(40).causes.estimates).toBe(-240_000n)
    expect(at(150).causes.estimates).toBe(200_000n)
    expect(at(250).causes).toMatchObject({ estimates: 400_000n, past_the_gateway: 200_000n })
  })

  it('charges without tokens, and the lines of other keys, are explained as they stand', () => {
    const lines = [
      { ...line, tokens: 100, amount: 400_000n },
      { ...line, tokens: 7, amount: 28_000n, isElsewhere: true },
      { day: '2026-10-01', model: '', amount: -5000n, lines: 1, isElsewhere: false },
    ]
    const uses = [{ ...use, tokens: 100, isFailed: false, isEstimated: false }]
    const { causes, unexplainedGross, billed } = reconcile({ lines, uses, prices: PRICES })
    expect({ billed, unexplainedGross }).toEqual({ billed: 423_000n, unexplainedGross: 0n })
    expect(causes).toMatchObject({ no_tokens: -5000n, past_the_gateway: 28_000n })
  })

  it('rounding of each line to a nano-USD is no drift of prices', () => {
    const prices = new Map([['large', { ...PRICES.get('large'), input: 333n }]]) as typeof PRICES
    const uses = [{ ...use, tokens: 1001, isFailed: false, isEstimated: false }]
    const { causes, unexplainedGross } = reconcile({ lines: [{ ...line, tokens: 1001, amount: 334n }], uses, prices })
    expect(causes.price_drift).toBe(0n)
    expect(unexplainedGross).toBeLessThanOrEqual(1n)
  })

  it('an empty bill has no cells', () => {
    expect(reconcile({ lines: [], uses: [], prices: PRICES }).cells).toEqual([])
  })
})
