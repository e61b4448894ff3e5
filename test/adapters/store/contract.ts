import { describe, onTestFinished } from 'vitest'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../src/policy/config.ts'
import { accountsContract } from './aspects/accounts.ts'
import { admissionContract } from './aspects/admission.ts'
import { auditContract } from './aspects/audit.ts'
import { contactsContract } from './aspects/contacts.ts'
import { dumpContract } from './aspects/dump.ts'
import { fleetContract } from './aspects/fleet.ts'
import { guestsContract } from './aspects/guests.ts'
import { invitationsContract } from './aspects/invitations.ts'
import { keysContract } from './aspects/keys.ts'
import { labelValuesContract } from './aspects/label-values.ts'
import { leasesContract } from './aspects/leases.ts'
import { copiesContract } from './aspects/ledger/copies.ts'
import { hoursContract } from './aspects/ledger/hours.ts'
import { invoicesContract } from './aspects/ledger/invoices.ts'
import { leavingContract } from './aspects/ledger/leaving.ts'
import { ledgerContract } from './aspects/ledger/ledger.ts'
import { newestContract } from './aspects/ledger/newest.ts'
import { pastContract } from './aspects/ledger/past.ts'
import { scansContract } from './aspects/ledger/scans.ts'
import { settlementContract } from './aspects/ledger/settlement.ts'
import { wasteContract } from './aspects/ledger/waste.ts'
import { noticeProgressContract, noticesContract } from './aspects/limits/notices.ts'
import { poolBudgetContract } from './aspects/limits/pool-budget.ts'
import { readingsContract } from './aspects/limits/readings.ts'
import { reloadsContract } from './aspects/limits/reloads.ts'
import { rulesContract } from './aspects/limits/rules.ts'
import { sharedContract } from './aspects/limits/shared.ts'
import { sharedEndsContract } from './aspects/limits/shared-ends.ts'
import { listingsContract } from './aspects/listings.ts'
import { loginsContract } from './aspects/logins.ts'
import { lookAlikesContract } from './aspects/look-alikes.ts'
import { modelContract } from './aspects/model.ts'
import { orgsContract } from './aspects/orgs.ts'
import { responsesContract } from './aspects/responses.ts'
import { rotationContract } from './aspects/rotation.ts'
import { seriesContract } from './aspects/series.ts'
import { severalKeysContract } from './aspects/several-keys.ts'
import { termsContract } from './aspects/terms.ts'
import { wrongClockContract } from './aspects/wrong-clock.ts'
import { type Clock, clockAt, NOON } from './fixtures.ts'

/** An empty store of one implementation. */
export interface Subject {
  readonly store: Store
  /**
   * Closes the store and opens it again with the same data and clock. Holds of before may be settled at once, or
   * live on until their lease is over and someone sweeps.
   */
  reopen(): Promise<Store>
  /** Closes whatever is open and removes the data. */
  destroy(): Promise<void>
  /** Whether limits that accounts share lie apart from the accounts, as in a cluster. */
  readonly isApart: boolean
}

export interface Started extends Omit<Subject, 'destroy'> {
  readonly clock: Clock
}

/** An empty store, gone when the test ends. */
export type Start = (at?: EpochMs) => Promise<Started>

/** Starts with a subject of one implementation. */
export const startOf =
  (open: (now: () => EpochMs) => Promise<Subject>): Start =>
  async (at = NOON) => {
    const clock = clockAt(at)
    const subject = await open(clock.now)
    onTestFinished(() => subject.destroy())
    return { ...subject, clock }
  }

/** The guarantees of every implementation of Store. */
export function storeContract(name: string, open: (now: () => EpochMs) => Promise<Subject>): void {
  const start = startOf(open)

  describe(`${name}: keys`, () => keysContract(start))
  describe(`${name}: several keys of an account`, () => severalKeysContract(start))
  describe(`${name}: listings of keys`, () => listingsContract(start))
  describe(`${name}: rotation`, () => rotationContract(start))
  describe(`${name}: look-alike labels`, () => lookAlikesContract(start))
  describe(`${name}: accounts`, () => accountsContract(start))
  describe(`${name}: invitations`, () => invitationsContract(start))
  describe(`${name}: terms`, () => termsContract(start))
  describe(`${name}: orgs`, () => orgsContract(start))
  describe(`${name}: scans of accounts`, () => scansContract(start))
  describe(`${name}: audit`, () => auditContract(start))
  describe(`${name}: guests`, () => guestsContract(start))
  describe(`${name}: what guests share`, () => {
    sharedContract(start)
    sharedEndsContract(start)
  })
  describe(`${name}: admission`, () => admissionContract(start))
  describe(`${name}: rules`, () => rulesContract(start))
  describe(`${name}: limits over reloads`, () => reloadsContract(start))
  describe(`${name}: contacts`, () => contactsContract(start))
  describe(`${name}: notices`, () => {
    noticesContract(start)
    noticeProgressContract(start)
  })
  describe(`${name}: settlement`, () => settlementContract(start))
  describe(`${name}: standings`, () => readingsContract(start))
  describe(`${name}: leases`, () => leasesContract(start))
  describe(`${name}: ledger`, () => ledgerContract(start))
  describe(`${name}: invoices`, () => invoicesContract(start))
  describe(`${name}: usage by hour`, () => hoursContract(start))
  describe(`${name}: past`, () => pastContract(start))
  describe(`${name}: the newest rows`, () => newestContract(start))
  describe(`${name}: rows that leave for an archive`, () => leavingContract(start))
  describe(`${name}: waste`, () => wasteContract(start))
  describe(`${name}: the hour of a pool`, () => poolBudgetContract(start))
  describe(`${name}: copies of requests`, () => copiesContract(start))
  describe(`${name}: kept responses`, () => responsesContract(start))
  describe(`${name}: the fleet`, () => fleetContract(start))
  describe(`${name}: time series`, () => seriesContract(start))
  describe(`${name}: sign-ins of agents`, () => loginsContract(start))
  describe(`${name}: values of labels`, () => labelValuesContract(start))
  describe(`${name}: a clock that is wrong for a while`, () => wrongClockContract(start))
  describe(`${name}: a dump of all`, () => dumpContract(start))
  describe(`${name}: any order`, () => modelContract(start))
}
