import { useEffect, useRef, useState, type ReactElement } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import type { Screen } from '../src-main/contract/screens.ts';
import { Announcer } from './announcer.tsx';
import type { Connection } from './client/client.ts';
import { useAnswer, useClient, useLiveAnswers } from './client/queries.ts';
import { ActivityScreen } from './features/activity/activity-screen.tsx';
import { Apps } from './features/apps/apps.tsx';
import { RestoreFlow } from './features/data/restore-flow.tsx';
import { YourData } from './features/data/your-data.tsx';
import { Media } from './features/media/media.tsx';
import { UploadsProvider } from './features/media/uploads.tsx';
import { Porch } from './features/porch/porch.tsx';
import { NoteDraftProvider } from './features/posts/note-draft.tsx';
import { Posts } from './features/posts/posts.tsx';
import { SettingsScreen } from './features/settings/settings-screen.tsx';
import { Setup } from './features/setup/setup.tsx';
import { SignIns } from './features/sign-ins/sign-ins.tsx';
import { Webmentions } from './features/webmentions/webmentions.tsx';
import { Wizard } from './features/welcome/wizard.tsx';
import { hashOf, restoreHash, useIsRestoring, useRoute, useWelcomeStep, welcomeHash } from './routes.ts';
import shell from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { Broken } from './ui/broken.tsx';
import { pageTitleId } from './ui/page.tsx';
import { Loaded, WarningNote } from './ui/states.tsx';

const views: Record<Screen, () => ReactElement> = {
  porch: Porch,
  'sign-ins': SignIns,
  apps: Apps,
  webmentions: Webmentions,
  posts: Posts,
  media: Media,
  activity: ActivityScreen,
  data: YourData,
  settings: SettingsScreen,
  setup: Setup,
};

/** Screens that show what is opened beside their list. */
const roomy: ReadonlySet<Screen> = new Set(['webmentions', 'posts', 'media']);

/** The window: a welcome at the first start, or where the owner goes through it again; else the sidebar and one screen. */
export function App(): ReactElement {
  useLiveAnswers();
  const settings = useAnswer('settings.get', {});
  const step = useWelcomeStep();
  const [later, setLater] = useState(false);
  const isRestoring = useIsRestoring();
  const isKnown = settings.data !== undefined && (settings.data.profile.me !== null || later);
  if (isRestoring) {
    return (
      <main className={`${shell.alone} ${shell.wide}`}>
        <LineNotice />
        <RestoreFlow
          onLeave={() => {
            window.location.hash = isKnown ? hashOf('data') : welcomeHash('who');
          }}
        />
        <Announcer />
      </main>
    );
  }
  if (isKnown && step === null) return <House entered={later} />;
  return (
    <main className={shell.alone}>
      <LineNotice />
      <Loaded query={settings} what="your settings">
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
      <Announcer />
    </main>
  );
}

/** `entered`: the owner comes from the welcome, and was somewhere else before. */
function House({ entered }: { entered: boolean }): ReactElement {
  const { screen } = useRoute();
  useFocusOnArrival(screen, entered);
  const View = views[screen];
  return (
    <div className={shell.house}>
      <Sidebar current={screen} />
      <main className={shell.room}>
        <div className={roomy.has(screen) ? `${shell.column} ${shell.roomy}` : shell.column}>
          <LineNotice />
          <NoteDraftProvider>
            <UploadsProvider>
              <ErrorBoundary key={screen} FallbackComponent={Broken}>
                <View />
              </ErrorBoundary>
            </UploadsProvider>
          </NoteDraftProvider>
        </div>
      </main>
      <Announcer />
    </div>
  );
}

/** Says so while the service does not answer. */
function LineNotice(): ReactElement | null {
  const client = useClient();
  const [connection, setConnection] = useState<Connection>('open');
  useEffect(() => client.watchConnection(setConnection), [client]);
  if (connection !== 'lost') return null;
  return (
    <div role="status" className={shell.notice}>
      <WarningNote>
        <b>Porchlight does not answer.</b> What you see may be old. The window tries again by itself.
      </WarningNote>
    </div>
  );
}

/** A new screen starts at its top, with the focus on its heading, or at the one thing on it that was asked for. */
function useFocusOnArrival(screen: Screen, entered: boolean): void {
  const before = useRef(entered ? null : screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    // What the owner came for, one sign-in of many say, has taken the focus already.
    if (document.querySelector('main')?.contains(document.activeElement)) return;
    window.scrollTo(0, 0);
    document.getElementById(pageTitleId)?.focus();
  }, [screen]);
}
