import type { Command } from 'commander'

/** Adds one or more top-level commands, with their options and what is below them. */
type Register = (program: Command) => void

/**
 * The top-level commands in the groups and the order in which help lists them. A key holds the names that one module registers.
 * Modules load on demand: a start spends more time on finding and linking modules than on running most commands.
 */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<Register>>>>> = {
  'Run a gateway:': {
    serve: async () => (await import('./serve/serve.ts')).registerServe,
    reload: async () => (await import('./reload/reload.ts')).registerReload,
    doctor: async () => (await import('./doctor/doctor.ts')).registerDoctor,
    fleet: async () => (await import('./fleet/fleet.ts')).registerFleet,
    pools: async () => (await import('./pools/pools.ts')).registerPools,
    alarms: async () => (await import('./alarms/alarms.ts')).registerAlarms,
    notices: async () => (await import('./notices/notices.ts')).registerNotices,
    console: async () => (await import('./console/console.ts')).registerConsole,
  },
  'Write and change its configuration:': {
    init: async () => (await import('./init/init.ts')).registerInit,
    import: async () => (await import('./import/import.ts')).registerImport,
    validate: async () => (await import('./validate/validate.ts')).registerValidate,
    test: async () => (await import('./test/test.ts')).registerTest,
    plan: async () => (await import('./plan/plan.ts')).registerPlan,
    apply: async () => (await import('./apply/apply.ts')).registerApply,
    rollback: async () => (await import('./rollback/rollback.ts')).registerRollback,
    explain: async () => (await import('./explain/explain.ts')).registerExplain,
    replay: async () => (await import('./replay/replay.ts')).registerReplay,
    show: async () => (await import('./show/show.ts')).registerShow,
    models: async () => (await import('./models/models.ts')).registerModels,
    prices: async () => (await import('./prices/prices.ts')).registerPrices,
    doc: async () => (await import('./doc/doc.ts')).registerDoc,
    fmt: async () => (await import('./fmt/fmt.ts')).registerFmt,
  },
  'Customers, their requests and money:': {
    keys: async () => (await import('./keys/keys.ts')).registerKeys,
    accounts: async () => (await import('./accounts/accounts.ts')).registerAccounts,
    quota: async () => (await import('./quota/quota.ts')).registerQuota,
    requests: async () => (await import('./requests/requests.ts')).registerRequests,
    usage: async () => (await import('./usage/usage.ts')).registerUsage,
    invoice: async () => (await import('./invoice/invoice.ts')).registerInvoice,
    invoices: async () => (await import('./invoice/invoices.ts')).registerInvoices,
    reconcile: async () => (await import('./reconcile/reconcile.ts')).registerReconcile,
    audit: async () => (await import('./audit/audit.ts')).registerAudit,
  },
  'Coding agents:': {
    'agents run': async () => (await import('./agents/agents.ts')).registerAgents,
    token: async () => (await import('./token/token.ts')).registerToken,
  },
  'Keep its data:': {
    backup: async () => (await import('./backup/backup.ts')).registerBackup,
    restore: async () => (await import('./backup/restore.ts')).registerRestore,
    archive: async () => (await import('./archive/archive.ts')).registerArchive,
    store: async () => (await import('./store/store.ts')).registerStore,
  },
  'Set up svcctl itself:': {
    'login logout whoami': async () => (await import('./login/login.ts')).registerLogin,
    profile: async () => (await import('./profile/profile.ts')).registerProfile,
    'completion names': async () => (await import('./completion/completion.ts')).registerCompletion,
    version: async () => (await import('./version/version.ts')).registerVersion,
  },
}

/** The group of the commands about svcctl itself, where `help` is listed. */
export const OWN_GROUP = 'Set up svcctl itself:'

/** Registers the top-level commands that `isWanted` accepts by name. */
export async function registerCommands(program: Command, isWanted: (name: string) => boolean): Promise<void> {
  const groups = Object.entries(COMMANDS).map(async ([group, commands]) => {
    const wanted = Object.entries(commands).filter(([names]) => names.split(' ').some(isWanted))
    return { group, registers: await Promise.all(wanted.map(([, load]) => load())) }
  })
  for (const { group, registers } of await Promise.all(groups)) {
    program.commandsGroup(group)
    for (const register of registers) register(program)
  }
}

/** Whether `name` is a top-level command. */
export const isCommand = (name: string): boolean =>
  Object.values(COMMANDS).some(commands => Object.keys(commands).some(names => names.split(' ').includes(name)))
