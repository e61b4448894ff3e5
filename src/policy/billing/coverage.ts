import { addNanoUsd, lowerNanoUsd, type NanoUsd, subtractNanoUsd } from '../nano-usd.ts'

/** Allowance and credit of an account for a month. */
export interface Allotment {
  /** Part of its plan. */
  readonly allowance: NanoUsd
  /** Credit granted by an operator. */
  readonly credit: NanoUsd
}

/** How usage is covered. The three parts add up to the usage. */
export interface Coverage {
  readonly fromAllowance: NanoUsd
  readonly fromCredit: NanoUsd
  /** Beyond both. */
  readonly overage: NanoUsd
}

/** The allowance is used first, then the credit. */
export function coverageOf(used: NanoUsd, allotment: Allotment): Coverage {
  const fromAllowance = lowerNanoUsd(used, allotment.allowance)
  const left = subtractNanoUsd(used, fromAllowance)
  const fromCredit = lowerNanoUsd(left, allotment.credit)
  return { fromAllowance, fromCredit, overage: subtractNanoUsd(left, fromCredit) }
}

/** How the usage is covered that a month had after `before` of it was billed. */
export function coverageSince(before: NanoUsd, used: NanoUsd, allotment: Allotment): Coverage {
  const [was, is] = [coverageOf(before, allotment), coverageOf(used, allotment)]
  return {
    fromAllowance: subtractNanoUsd(is.fromAllowance, was.fromAllowance),
    fromCredit: subtractNanoUsd(is.fromCredit, was.fromCredit),
    overage: subtractNanoUsd(is.overage, was.overage),
  }
}

export const addCoverage = (a: Coverage, b: Coverage): Coverage => ({
  fromAllowance: addNanoUsd(a.fromAllowance, b.fromAllowance),
  fromCredit: addNanoUsd(a.fromCredit, b.fromCredit),
  overage: addNanoUsd(a.overage, b.overage),
})
