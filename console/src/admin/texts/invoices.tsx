export const whatAllAccountsAreCharged =
  'Invoices of all accounts for a month. An invoice is a draft until a day after its month, and is then issued.'
export const allInvoices = 'All invoices'
export const nothing = 'No invoices'
export const noUsage = 'No account has usage in this month.'
export const noMonths = 'This account has no usage in the last 13 months.'
export const more = 'More'
export const saveCsv = 'Save as CSV'
export const saveLines = 'Save lines as CSV'
export const invoicesOf = (label: string) => `Invoices of ${label}`
