export const whatAllAccountsAreCharged =
  'Invoices of all accounts for a month. They run until the month ends, close for a day, and are then issued.'
export const allInvoices = 'All invoices'
export const nothing = 'No invoices'
export const noUsage = 'No account has usage in this month.'
export const noMonths = 'This account has no usage in the last 13 months.'
export const more = 'More'
export const saveCsv = 'Save as CSV'
export const saveLines = 'Save lines as CSV'
export const invoicesOf = (label: string) => `Invoices of ${label}`
