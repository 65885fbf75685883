/** Returns the distinct words of a class or rel attribute, in order. */
export function attributeWords(value: string): string[] {
  return [...new Set(value.split(/[\t\n\f\r ]+/).filter((word) => word !== ''))];
}
