/**
 * The names under which users' systems remember Porchlight. After a release, a change of one of them would lose what the
 * system keeps under it: the secrets, the login item, the permission for notifications, or the data itself. The
 * packages get these names too (scripts/package.ts).
 */

/** The app's name, and the name of its folder on macOS, Windows and, for Electron, on Linux. */
export const productName = 'Porchlight';
/** The name of the server's data folder on Linux, where such names are in lower case. */
export const serverFolderName = 'porchlight';
/** The identifier of the app on macOS and Windows. */
export const appId = 'net.porchlight.desktop';
/** The service name of Porchlight's entries in the keychain. */
export const keychainService = 'Porchlight';
/**
 * The scheme of Porchlight's links. Any web page or program can open such a link, so a link shows a screen, or fills an
 * empty editor with one address, and does nothing else.
 */
export const linkScheme = 'porchlight';
/** The name of the app's program and of its login item. */
export const programName = 'porchlight';

/** The address of the project. It isn't known yet: a release build warns while this is the placeholder. */
export const projectUrl = 'https://porchlight.example/';
/** Returns whether an address is the placeholder of an address that isn't known yet. */
export const isPlaceholder = (url: string): boolean => new URL(url).hostname.endsWith('.example');
/** The page from which people download a newer version, and the page on which they report bugs. */
export const projectPages = {
  releases: new URL('releases', projectUrl).href,
  bugs: new URL('issues', projectUrl).href,
} as const;
