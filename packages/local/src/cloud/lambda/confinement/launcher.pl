# Starts one instance of a function, confined, and becomes it. Reads what to do from standard input, as launch-plan.ts
# writes it. Whatever the kernel refuses ends the launch: nothing runs less confined than was planned.
#
# In Perl, because it can call the kernel, is on nearly every Linux machine, and starts in 3 ms. It loads no modules.
use strict;
use warnings;

# From linux/mount.h, linux/fcntl.h, linux/sched.h, linux/prctl.h, linux/landlock.h and linux/seccomp.h.
use constant {
    AT_FDCWD => -100, AT_EMPTY_PATH => 0x1000, AT_RECURSIVE => 0x8000, O_PATH => 0x200000, O_CLOEXEC => 0x80000,
    OPEN_TREE_CLONE => 1, MOVE_MOUNT_F_EMPTY_PATH => 4,
    MS_NOSUID => 2, MS_NODEV => 4, MS_NOEXEC => 8, MS_REC => 0x4000, MS_PRIVATE => 0x40000, MNT_DETACH => 2,
    MOUNT_ATTR_RDONLY => 1, MOUNT_ATTR_NOSUID => 2, MOUNT_ATTR_NODEV => 4,
    # Mount, UTS, IPC, user and PID namespaces.
    CLONE_NEW => 0x20000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000,
    PR_SET_PDEATHSIG => 1, PR_SET_DUMPABLE => 4, PR_CAPBSET_DROP => 24, PR_SET_NO_NEW_PRIVS => 38,
    SECCOMP_SET_MODE_FILTER => 1, CAPABILITY_VERSION_3 => 0x20080522, LAST_CAPABILITY => 63,
    LANDLOCK_CREATE_RULESET_VERSION => 1, LANDLOCK_RULE_PATH_BENEATH => 1,
    LANDLOCK_EXECUTE => 1, LANDLOCK_WRITE_FILE => 2, LANDLOCK_READ_FILE => 4, LANDLOCK_READ_DIR => 8,
    SIGKILL => 9,
};

my %plan;
{
    local $/;
    my @words = split /\0/, <STDIN>, -1;
    while (my ($name, $value) = splice @words, 0, 2) { push @{ $plan{$name} }, $value if defined $value }
}
die "The launcher's plan was cut off\n" if !defined one('end');
sub all_of { @{ $plan{ $_[0] } // [] } }
sub one { $plan{ $_[0] }[0] }

# Another user than Sealway's must see the view's folders.
umask 022;
# The parent's descriptors. Databases open theirs without close-on-exec. 0 to 3 are the function's.
must('close_range', 4, 0xffffffff, 0);
open STDIN, '<', '/dev/null' or die "The launcher cannot open /dev/null: $!\n";
set_limit(split / /) for all_of('limit');
end_with_parent();
exit 0 if getppid() != one('parent');

one('namespaces') ? run_in_namespaces() : become_function();

# Calls the kernel. Ends the launch when it refuses.
sub must {
    my ($name, @arguments) = @_;
    my $answer = call($name, @arguments);
    die "The launcher was refused $name: $!\n" if $answer == -1;
    return $answer;
}

sub call {
    my ($name, @arguments) = @_;
    return syscall(one("syscall.$name") + 0, @arguments);
}

# Sets the soft and the hard limit of a resource to a value, or to the present hard limit, which no user may raise.
sub set_limit {
    my ($resource, $value) = @_;
    my $now = pack 'QQ', 0, 0;
    # Not by must: the kernel would write to a copy.
    syscall(one('syscall.prlimit64') + 0, 0, $resource + 0, 0, $now) == 0 or die "The launcher was refused prlimit64: $!\n";
    my $hard = (unpack 'QQ', $now)[1];
    $value = $hard if $hard < $value;
    must('prlimit64', 0, $resource + 0, pack('QQ', $value, $value), 0);
}

sub end_with_parent { must('prctl', PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) }

# Three processes: this one waits outside and ends as the function ends; process 1 of the new PID namespace reaps, and
# everything in the namespace ends with it; process 2 becomes the function.
sub run_in_namespaces {
    enter_namespaces();
    # `alive` is closed when this process ends, also before process 1 could ask the kernel for a signal.
    pipe(my $alive, my $held) && pipe(my $status, my $told) or die "The launcher cannot make a pipe: $!\n";
    my $init = fork_process();
    if ($init == 0) {
        close $held;
        close $status;
        run_as_init($alive, $told);
    }
    close $alive;
    close $told;
    close_function_descriptors();
    my $read = sysread $status, my $bytes, 2;
    waitpid $init, 0;
    exit 1 if !$read;
    end_as(unpack 'S', $bytes);
}

sub run_as_init {
    my ($alive, $told) = @_;
    # The function sees this name in /proc.
    $0 = 'init';
    build_view();
    drop_bounding_set();
    become_user();
    drop_capabilities();
    # Only now: a change of user undoes both.
    must('prctl', PR_SET_DUMPABLE, 0, 0, 0, 0);
    end_with_parent();
    my $ended = '';
    vec($ended, fileno($alive), 1) = 1;
    exit 0 if select($ended, undef, undef, 0);
    my $function = fork_process();
    if ($function == 0) {
        close $alive;
        set_limit(split / /) for all_of('namespace-limit');
        become_function();
    }
    close_function_descriptors();
    while ((my $ended = wait) != -1) {
        next if $ended != $function;
        syswrite $told, pack('S', $?);
        exit 0;
    }
    exit 1;
}

sub fork_process {
    my $child = fork;
    die "The launcher cannot start a process: $!\n" if !defined $child;
    return $child;
}

sub close_function_descriptors { must('close_range', 0, 3, 0) }

# Ends as the function did: with its exit status, or by the signal that killed it.
sub end_as {
    my ($status) = @_;
    kill $status & 127, $$ if $status & 127;
    exit $status >> 8;
}

# Enters a user namespace. For root its user is another one outside, too; a helper outside sets which.
sub enter_namespaces {
    my ($user) = all_of('user');
    if (defined $user) {
        my $launcher = $$;
        pipe(my $entered, my $enter) or die "The launcher cannot make a pipe: $!\n";
        my $helper = fork_process();
        if ($helper == 0) {
            close $enter;
            # Nothing was read: the launcher has ended, and its process id may be another's.
            exit 1 if !sysread $entered, my $byte, 1;
            map_ids($launcher, "0 0 1\n$user $user 1\n", "0 0 1\n$user $user 1\n");
            exit 0;
        }
        must('unshare', CLONE_NEW);
        syswrite $enter, '.';
        waitpid $helper, 0;
        die "The launcher could not map users\n" if $?;
    } else {
        my ($uid, $gid) = ($>, $) + 0);
        must('unshare', CLONE_NEW);
        write_file('/proc/self/setgroups', 'deny');
        map_ids('self', "$uid $uid 1\n", "$gid $gid 1\n");
    }
}

sub map_ids {
    my ($process, $users, $groups) = @_;
    write_file("/proc/$process/gid_map", $groups);
    write_file("/proc/$process/uid_map", $users);
}

sub write_file {
    my ($path, $text) = @_;
    open my $file, '>', $path or die "The launcher cannot map users: $!\n";
    print $file $text;
    close $file or die "The launcher cannot map users: $!\n";
}

# Builds a root that has only what the plan lists, read-only.
sub build_view {
    must('mount', 'none', '/', 0, MS_REC | MS_PRIVATE, 0);
    # Taken before the new root hides the place where they may be.
    my @files = map { take_tree($_, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) } all_of('file');
    my @devices = map { take_tree($_, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID) } all_of('device');
    my $root = one('mount-point');
    must('mount', 'tmpfs', $root, 'tmpfs', MS_NOSUID | MS_NODEV, 'size=256k,nr_inodes=4k,mode=755');
    for (@files, @devices) {
        my ($path, $tree, $is_folder) = @$_;
        make_folders($root, $is_folder ? $path : parent_of($path));
        if (!$is_folder) { open my $made, '>', "$root$path" or die "The launcher cannot make a file: $!\n" }
        must('move_mount', $tree, '', AT_FDCWD, "$root$path", MOVE_MOUNT_F_EMPTY_PATH);
    }
    for (all_of('link')) {
        my ($path, $target) = split /\n/;
        make_folders($root, parent_of($path));
        symlink $target, "$root$path" or die "The launcher cannot make a link: $!\n";
    }
    make_folders($root, '/proc');
    must('mount', 'proc', "$root/proc", 'proc', MS_NOSUID | MS_NODEV | MS_NOEXEC, 0);
    set_mount($root, 0, MOUNT_ATTR_RDONLY);
    chdir $root or die "The launcher cannot enter the view: $!\n";
    must('pivot_root', '.', '.');
    must('umount2', '.', MNT_DETACH);
}

sub take_tree {
    my ($path, $attributes) = @_;
    my $is_folder = -d $path;
    my $tree = must('open_tree', AT_FDCWD, $path, OPEN_TREE_CLONE | AT_RECURSIVE | O_CLOEXEC);
    must('mount_setattr', $tree, '', AT_EMPTY_PATH | AT_RECURSIVE, pack('Q4', $attributes, 0, 0, 0), 32);
    return [$path, $tree, $is_folder];
}

sub set_mount {
    my ($path, $flags, $attributes) = @_;
    must('mount_setattr', AT_FDCWD, $path, $flags, pack('Q4', $attributes, 0, 0, 0), 32);
}

sub parent_of { $_[0] =~ m{^(.*)/[^/]+$}s ? $1 : '' }

sub make_folders {
    my ($root, $path) = @_;
    my $made = $root;
    for my $name (grep { length } split m{/}, $path) {
        $made .= "/$name";
        mkdir $made or -d $made or die "The launcher cannot make a folder: $!\n";
    }
}

sub become_user {
    my ($user) = all_of('user');
    return if !defined $user;
    must('setgroups', 0, 0);
    must('setresgid', ($user + 0) x 3);
    must('setresuid', ($user + 0) x 3);
}

# Drops the capabilities that a program could bring along. That takes a capability, and ends at the kernel's last one.
sub drop_bounding_set {
    for my $capability (0 .. LAST_CAPABILITY) { last if call('prctl', PR_CAPBSET_DROP, $capability, 0, 0, 0) == -1 }
}

sub drop_capabilities { must('capset', pack('LL', CAPABILITY_VERSION_3, 0), pack('L6', (0) x 6)) }

sub become_function {
    if (!one('namespaces')) {
        drop_bounding_set();
        drop_capabilities();
    }
    must('prctl', PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    restrict_files();
    chdir one('folder') or die "The launcher cannot enter the function's folder: $!\n";
    filter_calls();
    %ENV = map { split /=/, $_, 2 } all_of('environment');
    my @command = all_of('command');
    exec { $command[0] } @command or die "The launcher cannot start the function's interpreter: $!\n";
}

# Applies Landlock: the kernel's list of paths, for this process and its children. Inside a view it lists everything.
sub restrict_files {
    my $version = call('landlock_create_ruleset', 0, 0, LANDLOCK_CREATE_RULESET_VERSION);
    die "The kernel has no Landlock\n" if $version < 1 && one('landlock') eq 'required';
    return if $version < 1 || one('landlock') eq 'off';
    # Rights by version: 13 at first; moving files (2), truncating (3), devices' requests (5).
    my $rights = (1 << 13) - 1;
    $rights |= 1 << 13 if $version >= 2;
    $rights |= 1 << 14 if $version >= 3;
    $rights |= 1 << 15 if $version >= 5;
    # Binding TCP ports (4); abstract Unix sockets and signals outside (6).
    my $attributes = pack 'QQQ', $rights, 1, 3;
    my $rules = must('landlock_create_ruleset', $attributes, $version >= 6 ? 24 : $version >= 4 ? 16 : 8, 0);
    my @readable = one('namespaces') ? ('/') : (all_of('file'), all_of('device'), "/proc/$$", '/proc/stat', '/proc/cpuinfo', '/proc/meminfo');
    add_rule($rules, $_, LANDLOCK_READ_FILE | LANDLOCK_READ_DIR) for @readable;
    add_rule($rules, $_, LANDLOCK_READ_FILE | LANDLOCK_EXECUTE) for all_of('program');
    add_rule($rules, '/dev/null', LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE);
    must('prctl', PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    must('landlock_restrict_self', $rules, 0);
}

sub add_rule {
    my ($rules, $path, $rights) = @_;
    sysopen(my $opened, $path, O_PATH | O_CLOEXEC) or die "The launcher cannot open a path: $!\n";
    $rights &= ~LANDLOCK_READ_DIR if !-d $path;
    must('landlock_add_rule', $rules, LANDLOCK_RULE_PATH_BENEATH, pack('Ql', $rights, fileno $opened), 0);
}

# Last: from here on the kernel refuses most of the calls above.
sub filter_calls {
    my $filter = pack 'H*', one('filter');
    substr $filter, $_, 4, pack('L', $$) for all_of('own-pid');
    my $program = pack 'S x6 P', length($filter) / 8, $filter;
    must('seccomp', SECCOMP_SET_MODE_FILTER, 0, $program);
}
