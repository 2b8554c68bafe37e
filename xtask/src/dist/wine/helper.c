/* What the trial of the command for Windows needs, and Rust's standard library does not offer.
 *
 *   helper interrupt MILLISECONDS COMMAND...   runs a command, sends it Ctrl-C after this time, and ends with its exit code
 *   helper hold FILE                           has a file open until standard input ends, and shares it with nobody
 */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

static BOOL WINAPI stays(DWORD event)
{
    return event == CTRL_C_EVENT;
}

static HANDLE start(wchar_t *line, DWORD flags)
{
    STARTUPINFOW startup = { .cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES };
    PROCESS_INFORMATION process;
    startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, flags, NULL, NULL, &startup, &process)) {
        fprintf(stderr, "cannot start %ls: error %lu\n", line, GetLastError());
        exit(99);
    }
    return process.hProcess;
}

static int result(HANDLE process)
{
    DWORD code;
    WaitForSingleObject(process, INFINITE);
    return GetExitCodeProcess(process, &code) ? (int)code : 99;
}

/* The command line from a word on, with its quotes. */
static wchar_t *from(const wchar_t *word)
{
    return wcsstr(GetCommandLineW(), word);
}

int wmain(int count, wchar_t **words)
{
    if (count > 3 && !wcscmp(words[1], L"interrupt")) {
        /* Ctrl-C reaches all processes of a console. There may be none here, so this program runs a second time with a new one. */
        static wchar_t line[32768];
        swprintf(line, 32768, L"\"%ls\" console %ls", words[0], from(L"interrupt ") + 10);
        return result(start(line, CREATE_NO_WINDOW));
    }
    if (count > 3 && !wcscmp(words[1], L"console")) {
        wchar_t *rest = from(L"console ") + 8;
        SetConsoleCtrlHandler(stays, TRUE);
        HANDLE command = start(rest + wcslen(words[2]) + 1, 0);
        Sleep((DWORD)_wtoi(words[2]));
        if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0))
            fprintf(stderr, "cannot send Ctrl-C: error %lu\n", GetLastError());
        return result(command);
    }
    if (count == 3 && !wcscmp(words[1], L"hold")) {
        if (CreateFileW(words[2], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL) == INVALID_HANDLE_VALUE)
            return 99;
        puts("held");
        fflush(stdout);
        while (getchar() != EOF)
            ;
        return 0;
    }
    return 98;
}
