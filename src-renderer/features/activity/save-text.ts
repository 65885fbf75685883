/** Saves a text as a file. The desktop app asks for the place in a dialog of its own. */
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the file after the click, so the address must outlive it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
