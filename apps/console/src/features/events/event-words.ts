/** `manager_offline` as people write it. */
export function eventWords(eventType: string): string {
  const words = eventType.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
