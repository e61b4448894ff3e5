/** Two digits behind the point; of less than a cent that there is something, `<0.01`. */
export function usd(text: string): string {
  const amount = Number(text)
  if (amount === 0 || Math.abs(amount) >= 0.01) return amount.toFixed(2)
  return amount > 0 ? '<0.01' : '-<0.01'
}

/** `$17.42`, `<$0.01` */
export const usdCell = (text: string): string => {
  const shown = usd(text)
  return shown.startsWith('<') ? `<$${shown.slice(1)}` : `$${shown}`
}
