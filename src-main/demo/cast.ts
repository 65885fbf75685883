/**
 * The owner of the demo, and the people who mention the owner's posts. Their hosts end in .example, a top-level domain
 * that nobody can register.
 */

export interface Person {
  readonly name: string;
  readonly host: string;
  /** The hue of the person's picture, in degrees. */
  readonly hue: number;
}

export const ownerName = 'Robin Vale';
export const ownerSite = 'https://robin.example/';
export const ownerPhoto = `${ownerSite}photo.svg`;
export const ownerHue = 24;

const hueStep = 47; // This number and 360 have no common factor, so every person gets a different hue.

export const people: readonly Person[] = [
  'Ada Okafor',
  'Ben Castellanos',
  'Chidi Larsen',
  'Dana Whitlock',
  'Emre Yildiz',
  'Farah Nasser',
  'Grace Lindqvist',
  'Hiro Tanabe',
  'Ines Carvalho',
  'Jonas Weber',
  'Keiko Mori',
  'Liam O’Shea',
  'Maya Krishnan',
  'Noor Haddad',
  'Olga Petrova',
  'Paulo Ribeiro',
  'Quinn Abernathy',
  'Rosa Delgado',
  'Sven Halvorsen',
  'Tess van Dijk',
  'Umar Farouk',
  'Vera Kowalczyk',
  'Wren Halloway',
  'Ximena Torres',
  'Yusuf Demir',
].map((name, index) => ({ name, host: hostOf(name), hue: (index * hueStep) % 360 }));

/** People who have never mentioned the owner before. */
export const strangers: readonly Person[] = [
  { name: 'Zoe Lambert', host: hostOf('Zoe Lambert'), hue: 310 },
  { name: 'Marek Dvorak', host: hostOf('Marek Dvorak'), hue: 80 },
];

export interface DemoApp {
  readonly name: string;
  readonly host: string;
  readonly hue: number;
  readonly scope: string;
  /** The number of days since the owner signed in to the app. */
  readonly daysAgo: number;
  /** The User-Agent of the browser in which the owner uses the app. */
  readonly browser: string;
}

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';

function appNamed(name: string, hue: number, scope: string, daysAgo: number, browser: string): DemoApp {
  return { name, host: hostOf(name), hue, scope, daysAgo, browser };
}

/** The app that creates the demo's posts. */
export const poster: DemoApp = {
  ...appNamed('Quill', 210, 'profile create update delete media', 364, firefox),
  host: 'quill-editor.example',
};
export const otherApps: readonly DemoApp[] = [
  appNamed('Pocket Notes', 30, 'profile create', 210, iphone),
  appNamed('Town Hall', 120, 'profile email', 96, windows),
  appNamed('Reading List', 280, 'create draft', 41, firefox),
];

/** The apps whose sign-ins wait for approval. */
export const waitingApps: readonly DemoApp[] = [
  appNamed('Photo Walk', 340, 'profile create media', 0, iphone),
  appNamed('Book Club', 160, 'profile', 0, firefox),
];

function hostOf(name: string): string {
  return `${name.toLowerCase().replace(/[^a-z]+/g, '-')}.example`;
}
