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
    CLONE_NEW => 0x20000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000, CLONE_NEWNET => 0x40000000,
    PR_SET_PDEATHSIG => 1, PR_SET_DUMPABLE => 4, PR_CAPBSET_DROP => 24, PR_SET_NO_NEW_PRIVS => 38,
    SECCOMP_SET_MODE_FILTER => 1, CAPABILITY_VERSION_3 => 0x20080522, LAST_CAPABILITY => 63,
    LANDLOCK_CREATE_RULESET_VERSION => 1, LANDLOCK_RULE_PATH_BENEATH => 1,
    LANDLOCK_EXECUTE => 1, LANDLOCK_WRITE_FILE => 2, LANDLOCK_READ_FILE => 4, LANDLOCK_READ_DIR => 8,
    SIGKILL => 9,
    # From asm-generic/signal-defs.h, linux/wait.h and linux/seccomp.h.
    SIG_BLOCK => 0, SIG_UNBLOCK => 1, ONLY_SIGCHLD => pack('Q', 1 << 16), WNOHANG => 1,
    SECCOMP_FILTER_FLAG_NEW_LISTENER => 8, SECCOMP_USER_NOTIF_FLAG_CONTINUE => 1,
    SECCOMP_IOCTL_NOTIF_RECV => 0xc0502100, SECCOMP_IOCTL_NOTIF_SEND => 0xc0182101, NOTICE_BYTES => 80,
    # From linux/socket.h, linux/in6.h, linux/netlink.h, linux/rtnetlink.h and asm-generic/errno.h.
    AF_INET => 2, AF_INET6 => 10, AF_NETLINK => 16, SOCK_STREAM => 1, SOCK_DGRAM => 2, SOCK_RAW => 3,
    IPPROTO_TCP => 6, IPPROTO_UDP => 17, IPPROTO_IPV6 => 41, IPV6_V6ONLY => 26, SOL_SOCKET => 1, SCM_RIGHTS => 1,
    RTM_NEWLINK => 16, RTM_NEWADDR => 20, RTM_NEWROUTE => 24, NLM_F_REQUEST_ACK_CREATE => 0x405,
    IFF_UP => 1, IFA_LOCAL => 2, RT_TABLE_LOCAL => 255, RTPROT_BOOT => 3, RT_SCOPE_HOST => 254, RTN_LOCAL => 2,
    RTA_OIF => 4, EACCES => 13, EMFILE => 24,
    # The first interface of every network namespace.
    LOOPBACK => 1,
    # The socket to Sealway, for a function whose connections pass through Sealway.
    CHANNEL => 4,
    # A listener is a descriptor of Sealway's.
    MAX_PORTS => 64, BACKLOG => 128,
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
# The parent's descriptors. Databases open theirs without close-on-exec. 0 to 3 are the function's, 4 may be CHANNEL.
my $is_proxied = one('network') eq 'proxied';
my $last_descriptor = $is_proxied ? CHANNEL : 3;
must('close_range', $last_descriptor + 1, 0xffffffff, 0);
my $channel = $is_proxied ? open_descriptor(CHANNEL) : undef;
my ($received, %listening) = ('');
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
    must('close_range', 0, $last_descriptor, 0);
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
    my $names = $is_proxied ? build_network() : undef;
    drop_bounding_set();
    become_user();
    drop_capabilities();
    # Only now: a change of user undoes both.
    must('prctl', PR_SET_DUMPABLE, 0, 0, 0, 0);
    end_with_parent();
    my $ended = '';
    vec($ended, fileno($alive), 1) = 1;
    exit 0 if select($ended, undef, undef, 0);
    my $ends = watch_children();
    my $connects = $is_proxied ? watch_connects() : undef;
    my $function = fork_process();
    if ($function == 0) {
        close $alive;
        must('close_range', CHANNEL, CHANNEL, 0) if $is_proxied;
        must('rt_sigprocmask', SIG_UNBLOCK, ONLY_SIGCHLD, 0, 8);
        set_limit(split / /) for all_of('namespace-limit');
        become_function();
    }
    # Not by close_range: Perl counts the users of these, and would never close what gets their numbers next.
    open STDIN, '<', '/dev/null' and open STDOUT, '>', '/dev/null' and open STDERR, '>', '/dev/null' or exit 1;
    must('close_range', 3, 3, 0);
    send_socket($names, '"dgram.Socket","dgramType":"udp4"', '{"names":true}') if $is_proxied;
    close $names if $is_proxied;
    while (1) {
        my $ready = '';
        vec($ready, fileno $_, 1) = 1 for grep { defined } $ends, $connects;
        next if select($ready, undef, undef, undef) == -1;
        answer_connect($connects) if $is_proxied && vec($ready, fileno $connects, 1);
        next if !vec($ready, fileno $ends, 1);
        sysread $ends, my $signal, 128;
        while ((my $ended = waitpid -1, WNOHANG) > 0) {
            next if $ended != $function;
            syswrite $told, pack('S', $?);
            exit 0;
        }
    }
}

# Returns a descriptor that is readable when a child process has ended.
sub watch_children {
    must('rt_sigprocmask', SIG_BLOCK, ONLY_SIGCHLD, 0, 8);
    return open_descriptor(must('signalfd4', -1, ONLY_SIGCHLD, 8, O_CLOEXEC));
}

sub open_descriptor {
    my ($number) = @_;
    open my $opened, '+<&=', $number or die "The launcher cannot use a descriptor: $!\n";
    return $opened;
}

sub fork_process {
    my $child = fork;
    die "The launcher cannot start a process: $!\n" if !defined $child;
    return $child;
}

# Ends as the function did: with its exit status, or by the signal that killed it.
sub end_as {
    my ($status) = @_;
    kill $status & 127, $$ if $status & 127;
    exit $status >> 8;
}

# Enters a user namespace. For root its user is another one outside, too; a helper outside sets which.
sub enter_namespaces {
    my ($user) = all_of('user');
    my $namespaces = CLONE_NEW | (one('network') eq 'open' ? 0 : CLONE_NEWNET);
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
        must('unshare', $namespaces);
        syswrite $enter, '.';
        waitpid $helper, 0;
        die "The launcher could not map users\n" if $?;
    } else {
        my ($uid, $gid) = ($>, $) + 0);
        must('unshare', $namespaces);
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
    open my $file, '>', $path or die "The launcher cannot write $path: $!\n";
    print $file $text;
    close $file or die "The launcher cannot write $path: $!\n";
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
    for (all_of('text')) {
        my ($path, $text) = split /\n/, $_, 2;
        make_folders($root, parent_of($path));
        write_file("$root$path", $text);
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

# Makes every address one of this network namespace's own: its only interface is loopback, so whatever the function
# connects to, it reaches a listener of Sealway's here, or nothing. Returns the socket for questions to the name server.
sub build_network {
    # Linux would let only CAP_SYS_PTRACE read the addresses of connects.
    if (open my $yama, '<', '/proc/sys/kernel/yama/ptrace_scope') { <$yama> < 2 or die "The kernel forbids ptrace\n" }
    # Connections to the ports of services are answered here after the capabilities were dropped.
    write_file('/proc/sys/net/ipv4/ip_unprivileged_port_start', 0);
    # The function's own ends: few servers have such ports.
    write_file('/proc/sys/net/ipv4/ip_local_port_range', '61000 65535');
    socket my $netlink, AF_NETLINK, SOCK_RAW, 0 or die "The launcher cannot open a netlink socket: $!\n";
    configure($netlink, RTM_NEWLINK, pack 'C x S l L L', 0, 0, LOOPBACK, IFF_UP, IFF_UP);
    for (all_of('address')) {
        my ($family, $address) = split / /;
        my $bytes = pack 'H*', $address;
        my $attribute = pack('S S', 4 + length $bytes, IFA_LOCAL) . $bytes;
        configure($netlink, RTM_NEWADDR, pack('C4 L', $family, 8 * length $bytes, 0, 0, LOOPBACK) . $attribute);
        my $route = pack 'C8 L', $family, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, 0;
        configure($netlink, RTM_NEWROUTE, $route . pack('S S L', 8, RTA_OIF, LOOPBACK));
    }
    socket my $names, AF_INET, SOCK_DGRAM, IPPROTO_UDP or die "The launcher cannot open a socket: $!\n";
    bind $names, pack('S n a4 x8', AF_INET, 53, pack 'H*', one('name-server')) or die "The launcher cannot bind: $!\n";
    return $names;
}

sub configure {
    my ($netlink, $type, $body) = @_;
    my $sent = syswrite $netlink, pack('L S S L L', 16 + length $body, $type, NLM_F_REQUEST_ACK_CREATE, 1, 0) . $body;
    my $answer = '';
    sysread $netlink, $answer, 4096 if defined $sent;
    my $error = unpack('x16 l', $answer . "\0" x 20);
    $! = -$error;
    die "The launcher cannot configure the network: $!\n" if $error || length $answer < 20;
}

# Has the kernel hold each connect of this process's children until answer_connect has answered it.
sub watch_connects {
    must('prctl', PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    my $filter = pack 'H*', one('connect-filter');
    my $program = pack 'S x6 P', length($filter) / 8, $filter;
    return open_descriptor(must('seccomp', SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, $program));
}

# Answers the next connect: refuses it, or listens on its port and lets it continue. The function may change the address
# after it was read here; Sealway judges the address of the accepted connection again.
sub answer_connect {
    my ($connects) = @_;
    my $notice = "\0" x NOTICE_BYTES;
    # Not by must: the kernel would write to a copy. It fails when the caller was interrupted.
    return if syscall(one('syscall.ioctl') + 0, fileno $connects, SECCOMP_IOCTL_NOTIF_RECV, $notice) == -1;
    my ($id, $process, $address, $length) = (unpack 'Q L L l L Q Q6', $notice)[0, 1, 7, 8];
    my $error = judge_connect($process, $address, $length);
    # Refusals cost Sealway time, too.
    select undef, undef, undef, 0.01 if $error;
    call('ioctl', fileno $connects, SECCOMP_IOCTL_NOTIF_SEND,
        pack 'Q q l L', $id, 0, -$error, $error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

# Returns the error of a connect; 0: none. The kernel itself answers for what is no internet address.
sub judge_connect {
    my ($process, $at, $length) = @_;
    open my $memory, '<', "/proc/$process/mem" or return EACCES;
    sysseek($memory, $at, 0) && sysread($memory, my $address, $length < 28 ? $length : 28) or return 0;
    return 0 if length $address < 16;
    my ($family, $port) = unpack 'S n', $address;
    return 0 if $port == 0;
    return ask_connect(join('.', unpack 'x4 C4', $address), $port) if $family == AF_INET;
    return 0 if $family != AF_INET6 || length $address < 24;
    return ask_connect(join(':', map { sprintf '%x', $_ } unpack 'x8 n8', $address), $port);
}

sub ask_connect {
    my ($address, $port) = @_;
    my $question = qq({"address":"$address","port":$port});
    if ($listening{$port}) {
        syswrite $channel, "$question\n";
        return read_answer();
    }
    return EMFILE if keys %listening >= MAX_PORTS;
    my $listener = listen_on($port) or return $! + 0;
    send_socket($listener, '"net.Server"', $question);
    my $error = read_answer();
    $listening{$port} = 1 if !$error;
    return $error;
}

# Listens on a port of every address. The connections are Sealway's. Returns nothing when the kernel refuses.
sub listen_on {
    my ($port) = @_;
    my $has_ipv6 = grep { /^${\AF_INET6} / } all_of('address');
    socket my $listener, $has_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, IPPROTO_TCP or return;
    setsockopt $listener, IPPROTO_IPV6, IPV6_V6ONLY, 0 if $has_ipv6;
    my $address = $has_ipv6 ? pack('S n x24', AF_INET6, $port) : pack('S n x12', AF_INET, $port);
    bind($listener, $address) && listen($listener, BACKLOG) or return;
    return $listener;
}

# Sends a message with a socket, as Node.js's child processes do.
sub send_socket {
    my ($socket, $type, $message) = @_;
    my $text = qq({"cmd":"NODE_HANDLE","type":$type,"msg":$message}\n);
    my $vector = pack 'P Q', $text, length $text;
    my $control = pack 'Q l l l x4', 20, SOL_SOCKET, SCM_RIGHTS, fileno $socket;
    my $header = pack 'Q L x4 P Q P Q l x4', 0, 0, $vector, 1, $control, length $control, 0;
    must('sendmsg', CHANNEL, $header, 0) == length $text or die "The launcher cannot reach Sealway\n";
}

# Waits for Sealway's answer to a question. Ignores Node.js's own messages.
sub read_answer {
    while (1) {
        while ($received =~ s/^(.*)\n//) {
            my $line = $1;
            # Sealway has no descriptors left for a socket.
            exit 1 if $line =~ /NODE_HANDLE_NACK/;
            return $1 if $line =~ /"errno":([0-9]+)/;
        }
        sysread $channel, $received, 4096, length $received or exit 1;
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
    set_limit(split / /) for all_of('function-limit');
    must('prctl', PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    restrict_files();
    chdir one('folder') or die "The launcher cannot enter the function's folder: $!\n";
    filter_calls();
    %ENV = map { split /=/, $_, 2 } all_of('environment');
    my @command = all_of('command');
    exec { $command[0] } @command or die "The launcher cannot start the function's interpreter: $!\n";
}

# Applies Landlock: the kernel's list of paths, for this process and its children.
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
    # A process's own files too, but for those that name the machine's files and mounts. Without a view, the names are
    # its own anyway.
    my @own = one('namespaces') ? map { "/proc/$$/$_" } qw(stat statm status maps smaps limits io fd comm cmdline) : "/proc/$$";
    my @texts = map { (split /\n/)[0] } all_of('text');
    my @readable = (all_of('file'), @texts, all_of('device'), @own, map { "/proc/$_" } qw(stat cpuinfo meminfo uptime loadavg));
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
