import { useCallback, useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import type { Screen } from '../src-main/contract/window.ts';
import { Announcer } from './announcer.tsx';
import type { Connection } from './client/client.ts';
import { useAnswer, useClient, useLiveAnswers } from './client/queries.ts';
import { DemoBadge } from './demo-badge.tsx';
import { ActivityScreen } from './features/activity/activity-screen.tsx';
import { Apps } from './features/apps/apps.tsx';
import { RestoreFlow } from './features/data/restore-flow.tsx';
import { YourData } from './features/data/your-data.tsx';
import { Media } from './features/media/media.tsx';
import { UploadsProvider } from './features/media/uploads.tsx';
import { Overview } from './features/overview/overview.tsx';
import { Posts } from './features/posts/posts.tsx';
import { SettingsScreen } from './features/settings/settings-screen.tsx';
import { Setup } from './features/setup/setup.tsx';
import { SignIns } from './features/sign-ins/sign-ins.tsx';
import { Webmentions } from './features/webmentions/webmentions.tsx';
import { Wizard } from './features/welcome/wizard.tsx';
import { WritingDeskProvider } from './features/write/desk.tsx';
import { Write } from './features/write/write.tsx';
import { Palette } from './palette.tsx';
import {
  hashOf,
  isSmallWindow,
  restoreHash,
  useIsRestoring,
  useRoute,
  useWelcomeStep,
  welcomeHash,
} from './routes.ts';
import shell from './shell.module.css';
import { useShortcuts } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { Broken } from './ui/broken.tsx';
import { pageTitleId } from './ui/page.tsx';
import { Loaded, WarningNote } from './ui/states.tsx';
import { useUnfinished } from './ui/unfinished.ts';
import { UnsavedNotice } from './unsaved-notice.tsx';
import { shellWords, sidebarWords } from './words.ts';

const views: Record<Screen, () => ReactElement> = {
  overview: Overview,
  'sign-ins': SignIns,
  apps: Apps,
  webmentions: Webmentions,
  write: Write,
  posts: Posts,
  media: Media,
  activity: ActivityScreen,
  data: YourData,
  settings: SettingsScreen,
  setup: Setup,
};

/** Screens with room for two columns. */
const roomy: ReadonlySet<Screen> = new Set(['webmentions', 'write', 'posts', 'media']);

/** The window: the welcome at the first start or when the owner repeats it, otherwise the sidebar and one screen. */
export function App(): ReactElement {
  useLiveAnswers();
  const settings = useAnswer('settings.get', {});
  const step = useWelcomeStep();
  const [later, setLater] = useState(false);
  const isRestoring = useIsRestoring();
  const hasAddress = typeof settings.data?.profile.me === 'string';
  const isKnown = settings.data !== undefined && (hasAddress || later);
  // A restore and the welcome keep their state in the page.
  useUnfinished(isRestoring || step !== null || !hasAddress);
  if (isRestoring) {
    return (
      <Alone wide>
        <RestoreFlow
          onLeave={() => {
            window.location.hash = isKnown ? hashOf('data') : welcomeHash('who');
          }}
        />
      </Alone>
    );
  }
  if (isKnown && step === null) {
    return isSmallWindow() ? <SmallHouse /> : <House entered={later} />;
  }
  return (
    <Alone>
      <Loaded query={settings} what={shellWords.settings}>
        {() => (
          <Wizard
            step={step ?? 'who'}
            onRestore={() => {
              window.location.hash = restoreHash;
            }}
            onLeave={(screen) => {
              setLater(true);
              window.location.hash = hashOf(screen);
            }}
          />
        )}
      </Loaded>
    </Alone>
  );
}

/** What stands alone, without the sidebar. */
function Alone({ wide = false, children }: { wide?: boolean; children: ReactNode }): ReactElement {
  return (
    <>
      <main className={wide ? `${shell.alone} ${shell.wide}` : shell.alone}>
        <LineNotice />
        <div className={shell.corner}>
          <DemoBadge />
        </div>
        {children}
      </main>
      <Announcer />
    </>
  );
}

/** `entered`: the owner has just left the welcome. */
function House({ entered }: { entered: boolean }): ReactElement {
  const { screen } = useRoute();
  const { home } = useClient();
  const [isSearching, setSearching] = useState(false);
  const search = useCallback(() => setSearching(true), []);
  useFocusOnArrival(screen, entered);
  useShortcuts({ home, onSearch: search });
  return (
    <div className={shell.house}>
      <SkipLink />
      <Sidebar current={screen} onSearch={search} />
      <main className={shell.room} id={contentId} tabIndex={-1}>
        <div className={roomy.has(screen) ? `${shell.column} ${shell.roomy}` : shell.column}>
          <OneScreen screen={screen} />
        </div>
      </main>
      {isSearching && <Palette onClose={() => setSearching(false)} />}
      <Announcer />
      <UnsavedNotice />
    </div>
  );
}

/** The small window of the desktop app, which shows only the screen in its address. */
function SmallHouse(): ReactElement {
  const { screen } = useRoute();
  useFocusOnArrival(screen, false);
  return (
    <>
      <title>{sidebarWords.screens[screen]}</title>
      <main className={`${shell.room} ${shell.tight}`}>
        <OneScreen screen={screen} />
      </main>
      <Announcer />
      <UnsavedNotice />
    </>
  );
}

function OneScreen({ screen }: { screen: Screen }): ReactElement {
  const View = views[screen];
  return (
    <>
      <LineNotice />
      <WritingDeskProvider>
        <UploadsProvider>
          <ErrorBoundary key={screen} FallbackComponent={Broken}>
            <View />
          </ErrorBoundary>
        </UploadsProvider>
      </WritingDeskProvider>
    </>
  );
}

const contentId = 'content';

/** The first stop of the Tab key: it leads past the sidebar. */
function SkipLink(): ReactElement {
  return (
    <a
      href={`#${contentId}`}
      className={shell.skip}
      // The address of the window names its screen.
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(contentId)?.focus();
      }}
    >
      {sidebarWords.skip}
    </a>
  );
}

/** Warns the owner while the service is not responding. */
function LineNotice(): ReactElement | null {
  const client = useClient();
  const [connection, setConnection] = useState<Connection>('open');
  useEffect(() => client.watchConnection(setConnection), [client]);
  if (connection !== 'lost') return null;
  return (
    <div role="status" className={shell.notice}>
      <WarningNote>
        <b>{shellWords.notResponding}</b> {shellWords.notRespondingMore}
      </WarningNote>
    </div>
  );
}

/** Scrolls a new screen to its top and focuses its heading, unless the item that the owner came for has the focus. */
function useFocusOnArrival(screen: Screen, entered: boolean): void {
  const before = useRef(entered ? null : screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    // The item that the owner came for, such as one sign-in, has the focus already.
    if (document.querySelector('main')?.contains(document.activeElement)) return;
    window.scrollTo(0, 0);
    document.getElementById(pageTitleId)?.focus();
  }, [screen]);
}
